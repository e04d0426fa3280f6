// Shows and handles the copy buttons. They stay hidden without a secure context, because the clipboard is unavailable
// there.

const CONFIRMATION_MS = 2_000;

/** Returns the value of the field, or the text of the element, that a button copies. */
function textFor(button) {
  const source = document.getElementById(button.dataset.copies);
  return source.value ?? source.textContent;
}

async function copy({ currentTarget: button }) {
  const label = button.querySelector('.copy-label');
  const { textContent: usual } = label;
  if (usual === button.dataset.copied) return;
  await navigator.clipboard.writeText(textFor(button));
  label.textContent = button.dataset.copied;
  setTimeout(() => {
    label.textContent = usual;
  }, CONFIRMATION_MS);
}

if (navigator.clipboard)
  for (const button of document.querySelectorAll('button[data-copies]')) {
    button.hidden = false;
    button.addEventListener('click', copy);
  }
