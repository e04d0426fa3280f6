// Brings the page to life: buttons that copy, a form that fetches a token, forms that send operations.

const tokenField = document.querySelector('#access-token');

for (const element of document.querySelectorAll('#token-form, .try')) element.hidden = false;
// Browsers have no clipboard for a page that came over plain http from another machine.
if (navigator.clipboard) for (const code of document.querySelectorAll('pre.copy')) addCopyButton(code);
for (const form of document.querySelectorAll('.try form')) prepare(form);
document.querySelector('#token-form').addEventListener('submit', fetchToken);

function addCopyButton(code) {
  const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Copy' });
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
  const frame = Object.assign(document.createElement('div'), { className: 'code' });
  code.replaceWith(frame);
  frame.append(code, button);
}

/** RFC 6749 §4.4, with the credentials in the body, which needs no preflight. */
async function fetchToken(event) {
  event.preventDefault();
  const form = event.target;
  const data = new FormData(form);
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: data.get('client_id'),
    client_secret: data.get('client_secret'),
    scope: data.getAll('scope').join(' '),
  });
  const result = form.querySelector('.result');
  try {
    const response = await fetch(form.dataset.tokenUrl, { method: 'POST', body });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.error_description ?? answer.error);
    tokenField.value = answer.access_token;
    result.textContent = `Good for ${answer.expires_in} s, with ${answer.scope ?? 'no scope'}.`;
  } catch (err) {
    result.textContent = `No token: ${err.message}`;
  }
}

function prepare(form) {
  const { type, body } = bodyOf(form);
  const fill = () => {
    body.value = form.closest('article').querySelector(`[data-body="${type.value}"]`).textContent;
  };
  if (type) {
    fill();
    type.addEventListener('change', fill);
  }
  form.addEventListener('submit', send);
}

/** By class, for the names in the form are those of parameters. */
function bodyOf(form) {
  return { type: form.querySelector('.content-type'), body: form.querySelector('.body') };
}

async function send(event) {
  event.preventDefault();
  const form = event.target;
  const result = form.closest('.try').querySelector('.result');
  result.textContent = 'Sending …';
  try {
    const startedAt = performance.now();
    const response = await fetch(toUrl(form), toRequest(form));
    const text = await response.text();
    show(result, response, text, performance.now() - startedAt);
  } catch (err) {
    result.textContent = `No answer: ${err.message}`;
  }
}

/** Relative to the page, which the API itself serves. */
function toUrl(form) {
  const path = form.dataset.path.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(form.querySelector(`[data-in=path][name="${name}"]`).value.trim()),
  );
  const query = new URLSearchParams(given(form, 'query'));
  return new URL(`.${path}${query.size > 0 ? `?${query}` : ''}`, new URL('.', location.href));
}

function toRequest(form) {
  const { type, body } = bodyOf(form);
  const headers = new Headers(given(form, 'header'));
  if (tokenField.value !== '') headers.set('Authorization', `Bearer ${tokenField.value.trim()}`);
  if (type) headers.set('Content-Type', type.value);
  return { method: form.dataset.method, headers, body: body?.value, cache: 'no-store' };
}

function given(form, place) {
  return [...form.querySelectorAll(`[data-in=${place}]`)]
    .filter((field) => field.value !== '')
    .map((field) => [field.name, field.value]);
}

function show(result, response, text, milliseconds) {
  const line = document.createElement('p');
  line.textContent = `${response.status} ${response.statusText} in ${Math.round(milliseconds)} ms`;
  line.className = response.ok ? 'good' : 'bad';
  const head = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  result.replaceChildren(line, toPre(head), toPre(pretty(response, text)));
}

function pretty(response, text) {
  return response.headers.get('Content-Type')?.includes('json')
    ? JSON.stringify(JSON.parse(text), null, 2)
    : text;
}

function toPre(text) {
  const pre = document.createElement('pre');
  pre.tabIndex = 0;
  pre.textContent = text;
  return pre;
}
