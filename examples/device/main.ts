import * as oauth from 'openid-client';
import { findRegistration } from '../registration.ts';

// A device without a browser or a keyboard, such as a wall screen: the device authorization grant (RFC 8628).
const { issuer, api, clientId } = findRegistration('device');

const config = await oauth.discovery(issuer, clientId, undefined, oauth.None(), {
  // For local use only: in production the issuer uses https.
  execute: issuer.protocol === 'http:' ? [oauth.allowInsecureRequests] : [],
});
const device = await oauth.initiateDeviceAuthorization(config, { scope: 'tickets:read' });
console.log(`On your phone, open ${device.verification_uri} and type ${device.user_code}`);
console.log(`Or open this: ${device.verification_uri_complete}`);

// Polls at the interval of the server until the user has allowed or denied the request.
const { access_token } = await oauth.pollDeviceAuthorizationGrant(config, device);
const response = await oauth.fetchProtectedResource(
  config,
  access_token,
  new URL('/tickets.json?limit=5', api),
  'GET',
);
const { tickets } = (await response.json()) as { tickets: { subject: string }[] };
console.log(`${tickets.length} tickets`);
for (const { subject } of tickets) console.log(subject);
