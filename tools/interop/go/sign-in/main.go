// Signs a user in with go-oidc and x/oauth2.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

func main() {
	ctx := context.Background()
	issuer, api := os.Getenv("ISSUER"), os.Getenv("API")
	clientID, clientSecret := os.Getenv("CLIENT_ID"), os.Getenv("CLIENT_SECRET")

	provider := must(oidc.NewProvider(ctx, issuer))
	config := oauth2.Config{
		ClientID:     clientID,
		ClientSecret: clientSecret,
		RedirectURL:  os.Getenv("REDIRECT_URI"),
		Endpoint:     provider.Endpoint(),
		Scopes:       []string{"openid", "profile", "email", "offline_access", "tickets:read", "tickets:write"},
	}

	// Store both in the session of the user until the redirect arrives.
	state, verifier := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	fmt.Println(config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)))

	callback := must(url.Parse(strings.TrimSpace(must(bufio.NewReader(os.Stdin).ReadString('\n')))))
	if callback.Query().Get("state") != state {
		log.Fatal("the redirect belongs to another sign-in")
	}
	token := must(config.Exchange(ctx, callback.Query().Get("code"), oauth2.VerifierOption(verifier)))
	rawIDToken, _ := token.Extra("id_token").(string)
	idToken := must(provider.Verifier(&oidc.Config{ClientID: clientID}).Verify(ctx, rawIDToken))
	var claims, userinfo map[string]any
	check(idToken.Claims(&claims))

	check(must(provider.UserInfo(ctx, oauth2.StaticTokenSource(token))).Claims(&userinfo))

	// The client refreshes the token when it has expired.
	client := config.Client(ctx, token)
	body := strings.NewReader(`{"subject":"From Go"}`)
	created := must(client.Post(api+"/tickets.json", "application/json", body))

	var page struct{ Tickets []struct{ Subject string } }
	check(json.NewDecoder(must(client.Get(api + "/tickets.json")).Body).Decode(&page))
	subjects := []string{}
	for _, ticket := range page.Tickets {
		subjects = append(subjects, ticket.Subject)
	}

	refreshed := must(config.TokenSource(ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token())
	again := must(oauth2.NewClient(ctx, oauth2.StaticTokenSource(refreshed)).Get(api + "/tickets.json"))
	report(claims, userinfo, token, created, subjects, refreshed, again)
}

func report(claims, userinfo map[string]any, token *oauth2.Token, created *http.Response, subjects []string,
	refreshed *oauth2.Token, again *http.Response) {
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"claims":    claims,
		"userinfo":  userinfo,
		"scope":     token.Extra("scope"),
		"created":   created.StatusCode,
		"subjects":  subjects,
		"refreshed": map[string]any{"scope": refreshed.Extra("scope"), "status": again.StatusCode},
	}))
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
