/** A command for a shell in which `TOKEN` is set. */
export function toCurl(method: string, url: string, body?: { type: string; text: string }): string {
  const lines = [
    `curl -s${method === 'GET' ? '' : ` -X ${method}`} -H "Authorization: Bearer $TOKEN"`,
    ...(body ? [`-H ${quote(`Content-Type: ${body.type}`)}`, `--data-raw ${quote(body.text)}`] : []),
    quote(url),
  ];
  return lines.join(' \\\n  ');
}

/** One that shows what comes as it comes. */
export function toStreamCurl(url: string): string {
  const lines = [`curl -sN -H "Authorization: Bearer $TOKEN"`, `-H 'Accept: text/event-stream'`, quote(url)];
  return lines.join(' \\\n  ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
