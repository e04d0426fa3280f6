import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import keydesk.ApiClient;
import keydesk.ApiException;
import keydesk.JSON;
import keydesk.api.ChangesApi;
import keydesk.api.TicketsApi;
import keydesk.model.Change;
import keydesk.model.Changes;
import keydesk.model.PersonReferenceInput;
import keydesk.model.StaleTicketProblem;
import keydesk.model.Ticket;
import keydesk.model.TicketCreate;
import keydesk.model.TicketPage;
import keydesk.model.TicketUpdate;

/** Runs the steps of docs/generated-clients.md with a client that OpenAPI Generator created from /openapi.json. */
public final class Client {
  private static final Map<String, String> ENV = System.getenv();

  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.setBasePath(ENV.get("API"));
    client.setAccessToken(fetchToken());
    TicketsApi tickets = new TicketsApi(client);
    ChangesApi feed = new ChangesApi(client);

    String position = readChanges(feed, null, new ArrayList<>());

    TicketCreate creation = new TicketCreate()
        .subject("The printer is on fire")
        .requester(new PersonReferenceInput().email("ada@example.com").name("Ada"))
        .tags(Set.of("generated", "java"));
    Ticket ticket = tickets.addTicket(creation).idempotencyKey(UUID.randomUUID().toString()).execute();

    TicketPage page = tickets.listTickets().tagAll(List.of("generated", "java")).limit(100).execute();
    boolean isListed = page.getTickets().stream().anyMatch(each -> each.getId().equals(ticket.getId()));

    Ticket edited = tickets.editTicket(ticket.getId(), new TicketUpdate().subject("The printer is out"))
        .ifMatch(ticket.getEtag())
        .execute();

    ApiException refusal = null;
    try {
      tickets.editTicket(ticket.getId(), new TicketUpdate().subject("The printer works")).ifMatch(ticket.getEtag()).execute();
    } catch (ApiException thrown) {
      refusal = thrown;
    }
    StaleTicketProblem problem = StaleTicketProblem.fromJson(refusal.getResponseBody());

    List<Change> changes = new ArrayList<>();
    readChanges(feed, position, changes);
    Change changed = changes.stream().filter(each -> each.getId().equals(ticket.getId())).findFirst().get();

    Map<String, Object> conflict = Map.of(
        "status", refusal.getCode(),
        "code", problem.getCode(),
        "current", problem.getCurrent().getVersion());
    System.out.println(JSON.serialize(Map.of(
        "created", ticket.getSubject(),
        "listed", isListed,
        "edited", edited.getVersion(),
        "conflict", conflict,
        "changed", changed.getTicket().getSubject())));
  }

  /** Reads the feed to its end; returns its position. */
  private static String readChanges(ChangesApi feed, String since, List<Change> changes) throws ApiException {
    Changes page;
    do {
      page = feed.listChanges().since(since).limit(100).execute();
      changes.addAll(page.getChanges());
      since = page.getPosition();
    } while (page.getHasMore());
    return since;
  }

  /** Requests a token with the client credentials grant (RFC 6749 §4.4). */
  private static String fetchToken() throws IOException, InterruptedException {
    String credentials = ENV.get("CLIENT_ID") + ":" + ENV.get("CLIENT_SECRET");
    byte[] bytes = credentials.getBytes(StandardCharsets.UTF_8);
    String scope = URLEncoder.encode("tickets:read tickets:write", StandardCharsets.UTF_8);
    HttpRequest request = HttpRequest.newBuilder(URI.create(ENV.get("ISSUER") + "/token"))
        .header("Authorization", "Basic " + Base64.getEncoder().encodeToString(bytes))
        .header("Content-Type", "application/x-www-form-urlencoded")
        .POST(HttpRequest.BodyPublishers.ofString("grant_type=client_credentials&scope=" + scope))
        .build();
    String answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
    return JsonParser.parseString(answer).getAsJsonObject().get("access_token").getAsString();
  }
}
