/** How usual assistants are connected to the endpoint. */

export interface Setup {
  readonly name: string
  readonly steps: string
  /** The text to paste. */
  readonly text: string
  /** A link that opens the assistant with everything filled in. */
  readonly link?: string
}

const SERVER = 'relata'

export function setupsFor(url: string): readonly Setup[] {
  const cursor = btoa(JSON.stringify({ url }))
  const code = encodeURIComponent(JSON.stringify({ name: SERVER, type: 'http', url }))
  return [
    { name: 'Claude', steps: 'Settings → Connectors → Add custom connector. Paste this URL.', text: url },
    { name: 'ChatGPT', steps: 'Settings → Connectors → Create. Paste this URL and choose OAuth.', text: url },
    {
      name: 'Claude Code',
      steps: 'Run this command, then /mcp in a conversation.',
      text: `claude mcp add --transport http ${SERVER} ${url}`,
    },
    {
      name: 'Cursor',
      steps: 'Open Cursor with the button, or add this to ~/.cursor/mcp.json.',
      text: JSON.stringify({ mcpServers: { [SERVER]: { url } } }),
      link: `cursor://anysphere.cursor-deeplink/mcp/install?name=${SERVER}&config=${encodeURIComponent(cursor)}`,
    },
    {
      name: 'VS Code',
      steps: 'Open VS Code with the button, or add this to .vscode/mcp.json.',
      text: JSON.stringify({ servers: { [SERVER]: { type: 'http', url } } }),
      link: `vscode:mcp/install?${code}`,
    },
    {
      name: 'Other',
      steps: 'Streamable HTTP with OAuth; or with an API key in the header Authorization: Bearer.',
      text: url,
    },
  ]
}
