import type { SnippetServer } from '../views/applications.ts';
import {
  quoted,
  resourceOf,
  type SnippetApplication,
  type UserApplication,
  usesSecret,
} from './application.ts';

/** Go snippet of the client credentials grant, with x/oauth2. */
export function machineGo(application: SnippetApplication, server: SnippetServer): string {
  const resource = resourceOf(application, server);
  const packages = ['context', 'fmt', ...(resource === undefined ? [] : ['io']), 'log', 'os'];
  const config = fields({
    ClientID: quoted(application.id),
    ClientSecret: 'os.Getenv("CLIENT_SECRET")',
    TokenURL: quoted(server.tokenEndpoint),
    AuthStyle: authStyle(application),
    Scopes: scopeList(application),
  });
  return `package main

${imports(packages, ['golang.org/x/oauth2', 'golang.org/x/oauth2/clientcredentials'])}

func main() {
	config := clientcredentials.Config{
${config}
	}
${
  resource === undefined
    ? '\tfmt.Println(must(config.Token(context.Background())).AccessToken)'
    : `\tclient := config.Client(context.Background())\n${get(resource)}`
}
}

${MUST}`;
}

/** Go snippet of the code flow, with go-oidc and x/oauth2. */
export function userGo(application: UserApplication, server: SnippetServer): string {
  const resource = resourceOf(application, server);
  const reading = resource === undefined ? [] : ['io'];
  const packages = ['bufio', 'context', 'fmt', ...reading, 'log', 'net/url', 'os', 'strings'];
  const config = fields({
    ClientID: quoted(application.id),
    ...(usesSecret(application) && { ClientSecret: 'os.Getenv("CLIENT_SECRET")' }),
    RedirectURL: quoted(application.redirectUri),
    Endpoint: 'endpoint',
    Scopes: scopeList(application),
  });
  return `package main

${imports(packages, ['github.com/coreos/go-oidc/v3/oidc', 'golang.org/x/oauth2'])}

func main() {
	ctx := context.Background()
	provider := must(oidc.NewProvider(ctx, ${quoted(server.issuer)}))
	endpoint := provider.Endpoint()
	endpoint.AuthStyle = ${authStyle(application)}
	config := oauth2.Config{
${config}
	}

	state, verifier := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	fmt.Println("Open this address and sign in:", config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)))
	fmt.Print("Paste the address you were sent to: ")
	callback := must(url.Parse(strings.TrimSpace(must(bufio.NewReader(os.Stdin).ReadString('\\n')))))
	if callback.Query().Get("state") != state {
		log.Fatal("the redirect belongs to another sign-in")
	}

	token := must(config.Exchange(ctx, callback.Query().Get("code"), oauth2.VerifierOption(verifier)))
${
  resource === undefined
    ? '\tfmt.Println(token.AccessToken)'
    : `\tclient := config.Client(ctx, token)\n${get(resource)}`
}
}

${MUST}`;
}

const MUST = `func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}`;

function imports(standard: readonly string[], modules: readonly string[]): string {
  const lines = (packages: readonly string[]) => packages.map((name) => `\t"${name}"`).join('\n');
  return `// go mod init example && go mod tidy\nimport (\n${lines(standard)}\n\n${lines(modules)}\n)`;
}

/** Formats the members of a struct literal as gofmt does. */
function fields(values: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(values).map((name) => name.length)) + 2;
  return Object.entries(values)
    .map(([name, value]) => `\t\t${`${name}:`.padEnd(width)}${value},`)
    .join('\n');
}

function authStyle({ authMethod }: SnippetApplication): string {
  return authMethod === 'client_secret_basic' ? 'oauth2.AuthStyleInHeader' : 'oauth2.AuthStyleInParams';
}

function scopeList({ scopes }: SnippetApplication): string {
  return `[]string{${scopes.map(quoted).join(', ')}}`;
}

function get(url: string): string {
  return `\tresponse := must(client.Get(${quoted(url)}))
	fmt.Println(string(must(io.ReadAll(response.Body))))`;
}
