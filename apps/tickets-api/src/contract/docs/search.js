// Adds the search over guides and operations. Its index is fetched when the field is first used.

const RESULT_LIMIT = 20;
const SNIPPET_LENGTH = 120;

const place = document.querySelector('#search');
const { index: indexUrl, root } = place.dataset;
let index;

const field = Object.assign(document.createElement('input'), {
  type: 'search',
  placeholder: 'Search',
  autocomplete: 'off',
  spellcheck: false,
});
field.setAttribute('aria-label', 'Search the guides and operations');
field.setAttribute('aria-controls', 'results');
const results = Object.assign(document.createElement('div'), {
  id: 'results',
  className: 'results',
  hidden: true,
});
results.setAttribute('role', 'region');
results.setAttribute('aria-label', 'Results');
results.setAttribute('aria-live', 'polite');
place.append(field, results);

field.addEventListener('input', show);
place.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') close();
  if (event.key === 'ArrowDown') move(event, 1);
  if (event.key === 'ArrowUp') move(event, -1);
});
results.addEventListener('click', close);
document.addEventListener('click', (event) => {
  if (!place.contains(event.target)) close();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.matches('input, textarea, select, [contenteditable]')) return;
  event.preventDefault();
  field.focus();
});

function close() {
  results.hidden = true;
}

function move(event, step) {
  const stops = [field, ...results.querySelectorAll('a')];
  const next = stops[stops.indexOf(document.activeElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

async function show() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return close();
  index ??= fetch(indexUrl).then((response) => {
    if (!response.ok) throw new Error(`The search answers ${response.status}.`);
    return response.json();
  });
  try {
    render(find(await index, words), words);
  } catch {
    index = undefined;
    results.textContent = 'The search is not available. Try again.';
  }
  results.hidden = false;
}

/** Returns the entries with every word, best first: matches in the title, the place, then the text. */
function find(entries, words) {
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, RESULT_LIMIT)
    .map(({ entry }) => entry);
}

function scoreOf({ title, where, text }, words) {
  let sum = 0;
  for (const word of words) {
    if (title.toLowerCase().includes(word)) sum += 10;
    else if (where.toLowerCase().includes(word)) sum += 5;
    else if (text.toLowerCase().includes(word)) sum += 1;
    else return 0;
  }
  return sum;
}

function render(entries, words) {
  const list = document.createElement('ul');
  for (const { title, where, address, text } of entries) {
    const link = Object.assign(document.createElement('a'), { href: toHref(address) });
    link.append(line('strong', title), line('span', where), line('small', snippetOf(text, words)));
    const item = document.createElement('li');
    item.append(link);
    list.append(item);
  }
  results.replaceChildren(entries.length > 0 ? list : 'Nothing found.');
}

/** Relative to this page, which is the start page itself or one below it. */
function toHref(address) {
  if (address.startsWith('#')) return root + address;
  return root.startsWith('..') ? address : `${root}/${address}`;
}

function line(name, text) {
  return Object.assign(document.createElement(name), { textContent: text });
}

function snippetOf(text, words) {
  const at = Math.max(0, text.toLowerCase().indexOf(words[0]));
  const start = Math.max(0, at - SNIPPET_LENGTH / 3);
  const part = text.slice(start, start + SNIPPET_LENGTH);
  return `${start > 0 ? '…' : ''}${part}${start + SNIPPET_LENGTH < text.length ? '…' : ''}`;
}
