import { describeWith } from '@keydesk/testing';
import { it } from 'vitest';
import { signIn, useWorld } from './world.fixture.ts';

describeWith('chromium', 'a response on its way to an application, in Chromium', (executablePath) => {
  const world = useWorld(executablePath);

  it('posts itself where scripts run, and the application may lead on to another site (Form Post Response Mode §2)', async () => {
    const { page, account } = await world.openApplication();
    await page.click('#sign-in-by-form');
    await signIn(page, account);
    await page.click('#allow');
    await page.getByRole('heading', { name: `Hello ${account.id}` }).waitFor();
  });

  it('is posted by the button where no script runs', async () => {
    const { page, account } = await world.openApplication({ javaScriptEnabled: false });
    await page.click('#sign-in-by-form');
    await signIn(page, account);
    await page.click('#allow');
    await page.click('#response #go-on');
    await page.getByRole('heading', { name: `Hello ${account.id}` }).waitFor();
  });
});
