import type { Page } from '../../tests/browser.fixture.ts';

/** Returns the response form of a page as the request that the application receives. */
export function responseIn({ html }: Page): Request {
  const [, action = '', content = ''] =
    /<form id="response" method="post" action="([^"]*)">(.*?)<\/form>/s.exec(html) ?? [];
  const inputs = content.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  const fields = Object.fromEntries([...inputs].map(([, name, value]) => [name, value]));
  return new Request(action, { method: 'POST', body: new URLSearchParams(fields) });
}

export async function fieldsIn(page: Page): Promise<Record<string, unknown>> {
  return Object.fromEntries(await responseIn(page).formData());
}
