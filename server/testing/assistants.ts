/** Clients of the endpoint for assistants, for tests. */

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** Connects the client of the SDK with an API key. */
export async function connectAssistant(address: string, key: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const requestInit = { headers: { Authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { requestInit }))
  return client
}

export async function callTool(client: Client, name: string, args: Record<string, unknown>) {
  const { content, isError } = (await client.callTool({ name, arguments: args })) as {
    content: { text: string }[]
    isError?: boolean
  }
  const text = content[0]?.text ?? ''
  return { isError: isError === true, text, json: () => JSON.parse(text) }
}
