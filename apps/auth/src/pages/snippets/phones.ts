import type { SnippetServer } from '../views/applications.ts';
import { quoted, resourceOf, type UserApplication } from './application.ts';

/** Swift snippet of the code flow, with AppAuth for iOS. */
export function phoneSwift(application: UserApplication, server: SnippetServer): string {
  const resource = resourceOf(application, server);
  return `OIDAuthorizationService.discoverConfiguration(forIssuer: URL(string: ${quoted(server.issuer)})!) { configuration, error in
  guard let configuration else { return }
  let request = OIDAuthorizationRequest(
    configuration: configuration,
    clientId: ${quoted(application.id)},
    scopes: [${application.scopes.map(quoted).join(', ')}],
    redirectURL: URL(string: ${quoted(application.redirectUri)})!,
    responseType: OIDResponseTypeCode,
    additionalParameters: nil)
  appDelegate.currentAuthorizationFlow =
    OIDAuthState.authState(byPresenting: request, presenting: self) { authState, error in
      self.authState = authState // keep it in the keychain
    }
}${
    resource === undefined
      ? ''
      : `

authState.performAction { accessToken, idToken, error in
  guard let accessToken else { return }
  var request = URLRequest(url: URL(string: ${quoted(resource)})!)
  request.setValue("Bearer \\(accessToken)", forHTTPHeaderField: "Authorization")
  URLSession.shared.dataTask(with: request).resume()
}`
  }`;
}

/** Kotlin snippet of the code flow, with AppAuth for Android. */
export function phoneKotlin(application: UserApplication, server: SnippetServer): string {
  const resource = resourceOf(application, server);
  const { id, redirectUri, scopes } = application;
  return `AuthorizationServiceConfiguration.fetchFromIssuer(Uri.parse(${kotlinString(server.issuer)})) { configuration, error ->
    if (configuration == null) return@fetchFromIssuer
    val request = AuthorizationRequest.Builder(
        configuration, ${kotlinString(id)}, ResponseTypeValues.CODE, Uri.parse(${kotlinString(redirectUri)})
    ).setScope(${kotlinString(scopes.join(' '))}).build()
    startActivityForResult(service.getAuthorizationRequestIntent(request), SIGN_IN)
}

override fun onActivityResult(requestCode: Int, resultCode: Int, data: Intent?) {
    super.onActivityResult(requestCode, resultCode, data)
    if (requestCode != SIGN_IN || data == null) return
    val response = AuthorizationResponse.fromIntent(data)
    val state = AuthState(response, AuthorizationException.fromIntent(data))
    if (response != null) service.performTokenRequest(response.createTokenExchangeRequest()) { tokens, error ->
        state.update(tokens, error) // keep state.jsonSerializeString() in private storage
    }
}${
    resource === undefined
      ? ''
      : `

state.performActionWithFreshTokens(service) { accessToken, idToken, error ->
    // GET ${kotlinString(resource)} with "Authorization: Bearer $accessToken"
}`
  }`;
}

/** Formats a string literal of Kotlin without templates. */
function kotlinString(text: string): string {
  return quoted(text).replaceAll('$', '\\$');
}
