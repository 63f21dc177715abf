/** Clients of the endpoint for assistants, for tests. */

import type { AnswerBody } from './client'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** Connects the client of the SDK with an API key. */
export async function connectAssistant(address: string, key: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const requestInit = { headers: { Authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { requestInit }))
  return client
}

/** What the client of the SDK stores between the steps of its authorization. */
interface StoredAuthorization {
  client?: AnswerBody
  tokens?: AnswerBody
  discovery?: unknown
  verifier?: string
  url?: URL
}

/** Stores for the client of the SDK, which reads back what it stores. `stored.url` is the page on which a person allows access. */
export function authorizationStore(client_name: string, redirect: string) {
  const stored: StoredAuthorization = {}
  const provider = {
    redirectUrl: redirect,
    clientMetadata: { client_name, redirect_uris: [redirect] },
    clientInformation: () => stored.client,
    saveClientInformation: (client: unknown) => void (stored.client = client),
    tokens: () => stored.tokens,
    saveTokens: (tokens: unknown) => void (stored.tokens = tokens),
    redirectToAuthorization: (url: URL) => void (stored.url = url),
    saveCodeVerifier: (verifier: string) => void (stored.verifier = verifier),
    codeVerifier: () => stored.verifier ?? '',
    saveDiscoveryState: (discovery: unknown) => void (stored.discovery = discovery),
    discoveryState: () => stored.discovery,
    invalidateCredentials: () => void (stored.tokens = undefined),
  }
  return { stored, provider }
}

export async function callTool(client: Client, name: string, args: Record<string, unknown>) {
  const { content, isError } = (await client.callTool({ name, arguments: args })) as {
    content: { text: string }[]
    isError?: boolean
  }
  const text = content[0]?.text ?? ''
  return { isError: isError === true, text, json: () => JSON.parse(text) }
}
