import type { SnippetServer } from '../views/applications.ts';
import { quoted, resourceOf, type SnippetApplication, type UserApplication } from './application.ts';

/** Java snippet of the client credentials grant, with the HTTP client of the JDK. */
export function machineJava(application: SnippetApplication, server: SnippetServer): string {
  const { id, scopes } = application;
  const resource = resourceOf(application, server);
  const isInHeader = application.authMethod === 'client_secret_basic';
  const secret = 'encode(System.getenv("CLIENT_SECRET"))';
  const form = `"grant_type=client_credentials&scope=" + encode(${quoted(scopes.join(' '))})`;
  return `import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
${isInHeader ? 'import java.util.Base64;\n' : ''}import java.util.regex.Pattern;

public class Machine {
    public static void main(String[] args) throws Exception {
        var http = HttpClient.newHttpClient();
${isInHeader ? `        var credentials = encode(${quoted(id)}) + ":" + ${secret};\n` : ''}        var request = HttpRequest.newBuilder(URI.create(${quoted(server.tokenEndpoint)}))
${isInHeader ? '            .header("Authorization", "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes()))\n' : ''}            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(${form}${isInHeader ? '' : `\n                + "&client_id=" + encode(${quoted(id)}) + "&client_secret=" + ${secret}`}))
            .build();
        var body = http.send(request, BodyHandlers.ofString()).body();
        var match = Pattern.compile("\\"access_token\\":\\"([^\\"]+)\\"").matcher(body);
        if (!match.find()) throw new IllegalStateException(body);
${resource === undefined ? '        System.out.println(match.group(1));' : get(resource)}
    }

    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}`;
}

/**
 * Java snippet of the code flow with Spring Security: properties, filter chain and use of the token in a controller.
 */
export function webJava(application: UserApplication, server: SnippetServer): string {
  const resource = resourceOf(application, server);
  return `# application.yaml, with the starter oauth2-client
spring:
  security:
    oauth2:
      client:
        registration:
          keydesk:
            client-id: ${quoted(application.id)}
            client-secret: \${CLIENT_SECRET}
            client-authentication-method: ${application.authMethod}
            authorization-grant-type: authorization_code
            redirect-uri: ${quoted(application.redirectUri)}
            scope: ${application.scopes.join(',')}
        provider:
          keydesk:
            issuer-uri: ${quoted(server.issuer)}
            user-name-attribute: sub

// Security.java
@Bean
SecurityFilterChain web(HttpSecurity http, ClientRegistrationRepository clients) throws Exception {
    var requests = new DefaultOAuth2AuthorizationRequestResolver(clients, "/oauth2/authorization");
    requests.setAuthorizationRequestCustomizer(OAuth2AuthorizationRequestCustomizers.withPkce());
    return http.authorizeHttpRequests(all -> all.anyRequest().authenticated())
        .oauth2Login(login -> login.authorizationEndpoint(at -> at.authorizationRequestResolver(requests))
            .redirectionEndpoint(at -> at.baseUri(${quoted(new URL(application.redirectUri).pathname)})))
        .build();
}${resource === undefined ? '' : useInController(resource)}`;
}

function useInController(resource: string): string {
  return `

// A controller, given @RegisteredOAuth2AuthorizedClient("keydesk") OAuth2AuthorizedClient client
var rest = RestClient.builder()
    .defaultHeader("Authorization", "Bearer " + client.getAccessToken().getTokenValue()).build();
rest.get().uri(${quoted(resource)}).retrieve().body(String.class);`;
}

function get(resource: string): string {
  return `        var get = HttpRequest.newBuilder(URI.create(${quoted(resource)}))
            .header("Authorization", "Bearer " + match.group(1)).build();
        System.out.println(http.send(get, BodyHandlers.ofString()).body());`;
}
