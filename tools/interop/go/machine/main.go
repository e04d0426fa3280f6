// Fetches a token with the client credentials grant of x/oauth2.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"golang.org/x/oauth2/clientcredentials"
)

func main() {
	ctx := context.Background()
	issuer, api := os.Getenv("ISSUER"), os.Getenv("API")

	config := clientcredentials.Config{
		ClientID:     os.Getenv("CLIENT_ID"),
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		TokenURL:     issuer + "/token",
		Scopes:       []string{"tickets:read", "tickets:write"},
	}
	response, err := config.Client(ctx).Get(api + "/tickets.json")

	if err != nil {
		log.Fatal(err)
	}
	token, err := config.Token(ctx)
	if err != nil {
		log.Fatal(err)
	}
	report := map[string]any{"scope": token.Extra("scope"), "status": response.StatusCode}
	if err := json.NewEncoder(os.Stdout).Encode(report); err != nil {
		log.Fatal(err)
	}
}
