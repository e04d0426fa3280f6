/** A response as a browser without JavaScript receives it. */
export interface Page {
  status: number;
  url: URL;
  headers: Headers;
  html: string;
  /** Statuses of the redirects that led to this page. */
  redirects: readonly number[];
}

/** A browser without JavaScript: stores cookies by path, follows redirects on one origin, and posts forms. */
export interface Browser {
  /** Opens a page. A redirect to another origin, such as a client's redirect URI, returns `status` 0 and its URL. */
  open(url: string | URL): Promise<Page>;
  /** Posts the form with this id: its hidden fields, and `fields`, which include the name and value of the button. */
  submit(page: Page, formId: string, fields?: Readonly<Record<string, string>>): Promise<Page>;
  /** Sends a request with the cookies of its URL. */
  send(url: string | URL, request: RequestInit): Promise<Page>;
  cookies(): string[];
  /** Values of the cookies, which must not leak. */
  cookieValues(): string[];
}

interface Cookie {
  name: string;
  value: string;
  path: string;
}

const MAX_REDIRECTS = 10;

/**
 * @param origin of the server; a redirect to any other origin is not followed
 * @param own header fields of every request
 */
export function createBrowser(origin: string, own: Readonly<Record<string, string>> = {}): Browser {
  let jar: Cookie[] = [];

  function storeCookies(headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const cookie = parseCookie(line);
      jar = jar.filter(({ name, path }) => name !== cookie.name || path !== cookie.path);
      if (!cookie.isExpired) jar.push(cookie);
    }
  }

  async function sendAndFollow(start: URL, init: RequestInit): Promise<Page> {
    let url = start;
    let request = init;
    const redirects: number[] = [];
    while (redirects.length < MAX_REDIRECTS) {
      if (url.origin !== origin) return { status: 0, url, headers: new Headers(), html: '', redirects };
      const sent = jar.filter(({ path }) => isUnder(url.pathname, path));
      const cookie = sent.map(({ name, value }) => `${name}=${value}`).join('; ');
      const headers = { Accept: 'text/html', ...own, ...(cookie && { Cookie: cookie }), ...request.headers };
      const response = await fetch(url, { ...request, headers, redirect: 'manual' });
      storeCookies(response.headers);
      const html = await response.text();
      const { status } = response;
      const location = response.headers.get('location');
      if (location === null) return { status, url, headers: response.headers, html, redirects };
      redirects.push(status);
      url = new URL(location, url);
      request = {};
    }
    throw new Error(`More than ${MAX_REDIRECTS} redirects.`);
  }

  return {
    open: (url) => sendAndFollow(new URL(url, origin), {}),
    submit(page, formId, fields = {}) {
      const { action, hidden } = findForm(page.html, formId);
      const body = new URLSearchParams({ ...hidden, ...fields });
      return sendAndFollow(new URL(action, page.url), { method: 'POST', body });
    },
    send: (url, request) => sendAndFollow(new URL(url, origin), request),
    cookies: () => jar.map(({ name }) => name),
    cookieValues: () => jar.map(({ value }) => value),
  };
}

function parseCookie(line: string): Cookie & { isExpired: boolean } {
  const [pair = '', ...attributes] = line.split(/;\s*/);
  const [name = '', value = ''] = pair.split(/=(.*)/s);
  const attributeOf = (attribute: string) =>
    attributes.find((each) => each.toLowerCase().startsWith(`${attribute}=`))?.slice(attribute.length + 1);
  const expires = attributeOf('expires');
  const isExpired = expires !== undefined && Date.parse(expires) <= Date.now();
  return { name, value, path: attributeOf('path') ?? '/', isExpired };
}

function isUnder(pathname: string, path: string): boolean {
  return path === '/' || pathname === path || pathname.startsWith(`${path}/`);
}

function findForm(html: string, id: string): { action: string; hidden: Record<string, string> } {
  const form = new RegExp(`<form id="${id}"[^>]*action="([^"]*)"[^>]*>(.*?)</form>`, 's').exec(html);
  if (!form) throw new Error(`No form ${id} in ${html}`);
  const [, action = '', content = ''] = form;
  const inputs = content.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  return {
    action: action.replaceAll('&amp;', '&'),
    hidden: Object.fromEntries([...inputs].map(([, name, value]) => [name, value])),
  };
}
