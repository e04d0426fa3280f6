import { describeWith } from '@keydesk/testing';
import { it } from 'vitest';
import { buildRejectedRequest } from './rejected-request.fixture.ts';
import { signIn, useWorld } from './world.fixture.ts';

describeWith('chromium', 'an authorization response in Chromium', (executablePath) => {
  const world = useWorld(executablePath);

  it('is posted by script, and the application may redirect to another site (Form Post Response Mode §2)', async () => {
    const { page, account } = await world.openApplication();
    await page.click('#sign-in-by-form');
    await signIn(page, account);
    await page.click('#allow');
    await page.getByRole('heading', { name: `Hello ${account.id}` }).waitFor();
  });

  it('is posted by a button without JavaScript', async () => {
    const { page, account } = await world.openApplication({ javaScriptEnabled: false });
    await page.click('#sign-in-by-form');
    await signIn(page, account);
    await page.click('#allow');
    await page.click('#response #go-on');
    await page.getByRole('heading', { name: `Hello ${account.id}` }).waitFor();
  });

  it('with an error waits for the user if the application is unverified (RFC 9700 §4.11.2)', async () => {
    const { page } = await world.openApplication();
    const address = await buildRejectedRequest(world.get());
    await page.goto(address.href);
    await page.locator('#destination').getByText(world.get().application.redirectUri).waitFor();
    await page.click('#go-on');
    await page.getByRole('heading', { name: 'invalid_scope' }).waitFor();
  });
});
