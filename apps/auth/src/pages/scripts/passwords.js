/* Lets people look at a password while they type it. Each page that loads this works without it. */

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
