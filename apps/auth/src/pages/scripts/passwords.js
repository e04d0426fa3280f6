/* Shows a password on request, and how strong a new one is. Each page that loads this works without it. */

for (const button of document.querySelectorAll('button.reveal')) {
  const input = document.getElementById(button.getAttribute('aria-controls'));
  const setShown = (isShown) => {
    input.type = isShown ? 'text' : 'password';
    button.setAttribute('aria-pressed', String(isShown));
  };
  button.addEventListener('click', () => setShown(input.type === 'password'));
  // Browsers keep the text fields of a form that was sent, and suggest them later.
  input.form.addEventListener('submit', () => setShown(false));
  button.hidden = false;
}

/**
 * Why a password is weak, or how good it is. The server knows the passwords that many people use as well; they are too
 * many to send to each browser, and an unfinished password does not leave it.
 */
function judge(password, min, names) {
  const characters = [...password.normalize('NFKC')];
  if (new Set(characters).size < Math.min(5, characters.length)) return 'simple';
  if (characters.length < min) return 'short';
  const core = password.toLowerCase().replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  if (names.includes(core.replaceAll(/[^\p{L}\p{N}]+/gu, ''))) return 'personal';
  return characters.length < min + 6 ? 'fair' : 'good';
}

/** The words of the names and addresses in a form, as somebody may put them into a password. */
function namesIn(form) {
  const fields = [...form.querySelectorAll('input[autocomplete="name"], input[autocomplete="username"]')];
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
