// Runs the steps of docs/generated-clients.md with a client that OpenAPI Generator created from /openapi.json.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"os"

	"golang.org/x/oauth2/clientcredentials"
	"keydesk.example/generated/keydesk"
)

func main() {
	ctx := context.Background()
	token := clientcredentials.Config{
		ClientID:     os.Getenv("CLIENT_ID"),
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		TokenURL:     os.Getenv("ISSUER") + "/token",
		Scopes:       []string{"tickets:read", "tickets:write"},
	}
	configuration := keydesk.NewConfiguration()
	configuration.Servers = keydesk.ServerConfigurations{{URL: os.Getenv("API")}}
	configuration.HTTPClient = token.Client(ctx)
	client := keydesk.NewAPIClient(configuration)

	_, position := readChanges(ctx, client, "")

	email, name := "ada@example.com", "Ada"
	requester := keydesk.NewPersonReferenceInput()
	requester.SetEmail(email)
	requester.SetName(name)
	creation := keydesk.NewTicketCreate("The printer is on fire")
	creation.SetRequester(*requester)
	creation.SetTags([]string{"generated", "go"})
	ticket, _, err := client.TicketsAPI.AddTicket(ctx).TicketCreate(*creation).Execute()
	require(err)

	page, _, err := client.TicketsAPI.ListTickets(ctx).TagAll([]string{"generated", "go"}).Limit(100).Execute()
	require(err)
	listed := false
	for _, each := range page.Tickets {
		listed = listed || each.GetId() == ticket.GetId()
	}

	update := func(subject string) (*keydesk.Ticket, *http.Response, error) {
		changes := keydesk.NewTicketUpdate()
		changes.SetSubject(subject)
		request := client.TicketsAPI.EditTicket(ctx, ticket.GetId()).IfMatch(ticket.GetEtag())
		return request.TicketUpdate(*changes).Execute()
	}
	edited, _, err := update("The printer is out")
	require(err)

	_, response, err := update("The printer works")
	var refusal *keydesk.GenericOpenAPIError
	if !errors.As(err, &refusal) {
		log.Fatalf("no conflict: %v", err)
	}
	problem := refusal.Model().(keydesk.StaleTicketProblem)

	changes, _ := readChanges(ctx, client, position)
	changed := ""
	for _, each := range changes {
		if each.GetId() == ticket.GetId() {
			current := each.GetTicket()
			changed = current.GetSubject()
		}
	}

	require(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"created": ticket.GetSubject(),
		"listed":  listed,
		"edited":  edited.GetVersion(),
		"conflict": map[string]any{
			"status":  response.StatusCode,
			"code":    problem.GetCode(),
			"current": problem.Current.GetVersion(),
		},
		"changed": changed,
	}))
}

// readChanges reads the feed to its end.
func readChanges(ctx context.Context, client *keydesk.APIClient, since string) ([]keydesk.Change, string) {
	var changes []keydesk.Change
	for {
		request := client.ChangesAPI.ListChanges(ctx).Limit(100)
		if since != "" {
			request = request.Since(since)
		}
		page, _, err := request.Execute()
		require(err)
		changes = append(changes, page.GetChanges()...)
		since = page.GetPosition()
		if !page.GetHasMore() {
			return changes, since
		}
	}
}

func require(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
