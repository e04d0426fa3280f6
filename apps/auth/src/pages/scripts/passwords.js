/* Reveals passwords on request and rates new ones. Every page works without this script. */

for (const button of document.querySelectorAll('button.reveal')) {
  const input = document.getElementById(button.getAttribute('aria-controls'));
  const setShown = (isShown) => {
    input.type = isShown ? 'text' : 'password';
    button.setAttribute('aria-pressed', String(isShown));
  };
  button.addEventListener('click', () => setShown(input.type === 'password'));
  // Hidden again before submission, because browsers store submitted text fields as suggestions.
  input.form.addEventListener('submit', () => setShown(false));
  button.hidden = false;
}

/**
 * Returns why a password is weak, or how strong it is. Only the server checks the list of common passwords: it is too
 * large for browsers, and unfinished passwords must not leave the browser.
 */
function judge(password, min, names) {
  const characters = [...password.normalize('NFKC')];
  if (new Set(characters).size < Math.min(5, characters.length)) return 'simple';
  if (characters.length < min) return 'short';
  const core = password.toLowerCase().replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  if (names.includes(core.replaceAll(/[^\p{L}\p{N}]+/gu, ''))) return 'personal';
  return characters.length < min + 6 ? 'fair' : 'good';
}

/** Returns the words of the names and addresses in a form that a password might contain. */
function namesIn(form) {
  const fields = [...form.querySelectorAll('input[autocomplete="name"], input[autocomplete~="username"]')];
  const wordsOf = (name) => name.toLowerCase().split(/[^\p{L}]+/u);
  return fields
    .flatMap(({ value }) => value.split('@'))
    .flatMap((name) => [...wordsOf(name), wordsOf(name).join('')])
    .filter((word) => word.length > 2);
}

for (const meter of document.querySelectorAll('.strength')) {
  const input = meter.closest('.field').querySelector('input');
  input.addEventListener('input', () => {
    const verdict = judge(input.value, Number(meter.dataset.min), namesIn(input.form));
    meter.hidden = input.value === '';
    meter.dataset.level = { fair: 'fair', good: 'good' }[verdict] ?? 'weak';
    for (const reason of meter.querySelectorAll('[data-reason]'))
      reason.hidden = reason.dataset.reason !== verdict;
  });
}
