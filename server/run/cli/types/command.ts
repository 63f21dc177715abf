import { CommandError, defineRemoteCommand } from '#run/cli/command'
import { readServiceUrl } from '#run/cli/read-arguments'

/** Writes TypeScript types of the workspace's data model, made from its OpenAPI document. */
export const types = defineRemoteCommand({
  name: 'types',
  summary: 'Writes TypeScript types of the API with the objects, lists and attributes of the workspace.',
  options: {
    key: {
      kind: 'text',
      value: '<key>',
      description:
        'An API key with the scope object_configuration:read; with list_configuration:read, lists are in the types; - reads it from standard input.',
      isRequired: true,
    },
    to: {
      kind: 'text',
      value: '<file>',
      description: 'The file to write, e.g. relata.d.ts. Default: standard output.',
    },
    service: { kind: 'text', value: '<url>', description: 'The address of the service. Default: RELATA_BASE_URL.' },
  },
  async runRemotely({ options }, { baseUrl, print, signal }) {
    const service = readServiceUrl(options.service ?? baseUrl)
    const key = options.key === '-' ? (await Bun.stdin.text()).trim() : options.key
    const source = await writeTypes(await fetchDocument(service, key, signal))
    if (options.to === undefined) print(source)
    else {
      await Bun.write(options.to, source)
      print(`Wrote ${options.to}.`)
    }
  },
})

async function fetchDocument(service: string, key: string, signal: AbortSignal): Promise<string> {
  const headers = { Authorization: `Bearer ${key}` }
  const response = await fetch(`${service}/v2/openapi.json`, { headers, signal }).catch(() => {
    throw new CommandError(`Nothing answers at ${service}.`)
  })
  const text = await response.text()
  if (response.ok) return text
  throw new CommandError(`The service answers ${response.status}: ${messageOf(text)}`)
}

/** The message of an error body, or the beginning of another text. */
function messageOf(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown } // only its message is read
    if (typeof message === 'string') return message
  } catch {
    // The body is not JSON.
  }
  return text.slice(0, 200)
}

/** The compiler of TypeScript takes half a second to load, so it is loaded here. */
async function writeTypes(document: string): Promise<string> {
  const { astToString, default: openapiTS } = await import('openapi-typescript')
  return astToString(await openapiTS(document))
}
