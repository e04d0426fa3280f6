/* Creates passkeys and signs in with them (WebAuthn Level 3). Its forms are shown only where browsers have WebAuthn. */

const { browserSupportsWebAuthn, browserSupportsWebAuthnAutofill, startAuthentication, startRegistration } =
  globalThis.SimpleWebAuthnBrowser;

/** Posts the response of the browser with its form. */
function post(form, response) {
  form.elements.passkey.value = JSON.stringify(response);
  form.submit();
}

/** Shows why no passkey was created. */
function showFailure(reason) {
  for (const message of document.querySelectorAll('#passkey-failed [data-reason]'))
    message.hidden = message.dataset.reason !== reason;
}

async function create(form) {
  showFailure();
  try {
    post(form, await startRegistration({ optionsJSON: JSON.parse(form.dataset.creation) }));
  } catch (err) {
    showFailure(err.name === 'InvalidStateError' ? 'exists' : 'failed');
  }
}

/** Offers passkeys in the suggestions of the e-mail field (§5.1.4, conditional mediation). */
async function suggest(form) {
  if (!(await browserSupportsWebAuthnAutofill())) return;
  await signIn(form, { useBrowserAutofill: true });
}

/** Signs in with the passkey that the user chooses. Nothing happens if the user cancels. */
async function signIn(form, options) {
  try {
    post(form, await startAuthentication({ optionsJSON: JSON.parse(form.dataset.request), ...options }));
  } catch {
    form.dataset.isCancelled = 'true';
  }
}

async function showForms() {
  for (const part of document.querySelectorAll('.needs-webauthn')) part.hidden = false;
  for (const form of document.querySelectorAll('form[data-creation]')) {
    form.hidden = false;
    document.getElementById('passkeys-unsupported').hidden = true;
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      await create(form);
    });
  }
  for (const form of document.querySelectorAll('form[data-request]')) {
    form.hidden = false;
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      await signIn(form);
      await suggest(form);
    });
    // The page was open for longer than its challenge lives; this one has another, so the user need not ask again.
    if (form.dataset.retry !== undefined) await signIn(form);
    await suggest(form);
  }
}

if (browserSupportsWebAuthn()) void showForms();
