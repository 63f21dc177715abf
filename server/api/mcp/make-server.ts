/**
 * Makes the MCP server of one request: its tools are those that the scopes of the caller allow, and its resources describe
 * the data model that the caller may see. See docs/reference/assistants.md (Tools, Data model).
 */

import type { Server } from '@modelcontextprotocol/server'
import { describeEntityType, describeEntityTypes } from './answers/describe-model'
import { allowedTools, runTool, type AssistantRequest } from './run-tool'
import { findVisible, visibleEntityTypes } from './tools/data-model'
import type { Tool } from './tools/define'
import { TOOLS } from './tools/registry'

type Sdk = typeof import('@modelcontextprotocol/server')

const INSTRUCTIONS =
  'A customer relationship data service. Objects such as people and companies have records; lists have entries, which are records with values of their own. ' +
  'Call get_data_model before you write filters or values. Ids are UUIDs; slugs name objects, lists and attributes.'

const OVERVIEW = 'relata://data-model'

export function makeServer(sdk: Sdk, assistantRequest: AssistantRequest): Server {
  const info = { name: 'relata', title: `Relata: ${assistantRequest.context.model.workspace.name}`, version: '2.0.0' }
  const server = new sdk.Server(info, { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS })
  serveTools(sdk, server, assistantRequest)
  serveResources(sdk, server, assistantRequest)
  return server
}

function serveTools(sdk: Sdk, server: Server, assistantRequest: AssistantRequest): void {
  server.setRequestHandler('tools/list', () => ({
    tools: allowedTools(assistantRequest).map((tool) => render(tool, assistantRequest)),
  }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = TOOLS.find(({ name }) => name === params.name)
    if (tool === undefined) {
      throw new sdk.ProtocolError(
        sdk.ProtocolErrorCode.InvalidParams,
        `There is no tool ${JSON.stringify(params.name)}.`,
      )
    }
    // The client cancels the call by a notification, or by closing the connection.
    const closed = assistantRequest.context.signal
    const signal = closed === undefined ? mcpReq.signal : AbortSignal.any([mcpReq.signal, closed])
    const { text, isError } = await runTool(assistantRequest, tool, params.arguments ?? {}, signal)
    return { content: [{ type: 'text', text }], isError }
  })
}

function render(tool: Tool, assistantRequest: AssistantRequest) {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    annotations: { title: tool.title, ...tool.effect, openWorldHint: false },
    inputSchema: withSlugs(tool, assistantRequest),
  }
}

/** With more slugs, the list of tools would be long; get_data_model names them. */
const MAX_SLUGS = 40

/** The arguments, in which `object` and `list` name the slugs of the workspace. */
function withSlugs({ arguments: schema }: Tool, { context }: AssistantRequest) {
  const entityTypes = visibleEntityTypes(context)
  const slugs = (kind: string) => entityTypes.filter((each) => each.kind === kind).map(({ api_slug }) => api_slug)
  const properties = Object.entries(schema.properties).map(([name, property]) => {
    const allowed = name === 'object' || name === 'list' ? slugs(name) : []
    return [name, allowed.length > 0 && allowed.length <= MAX_SLUGS ? { ...property, enum: allowed } : property]
  })
  // Through JSON, because the schemas have further members for their own use.
  return JSON.parse(JSON.stringify({ ...schema, properties: Object.fromEntries(properties) }))
}

function serveResources(sdk: Sdk, server: Server, { context }: AssistantRequest): void {
  server.setRequestHandler('resources/list', () => ({
    resources: [
      { uri: OVERVIEW, name: 'Data model', description: 'The objects and lists', mimeType: 'text/plain' },
      ...visibleEntityTypes(context).map(({ api_slug, kind }) => ({
        uri: `${OVERVIEW}/${api_slug}`,
        name: api_slug,
        description: `The attributes of the ${kind} ${api_slug}`,
        mimeType: 'text/plain',
      })),
    ],
  }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      { uriTemplate: `${OVERVIEW}/{slug}`, name: 'Attributes', description: 'The attributes of an object or a list' },
    ],
  }))
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    const text = readResource(uri)
    if (text === undefined)
      throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, 'There is no such resource.')
    return { contents: [{ uri, mimeType: 'text/plain', text }] }
  })

  function readResource(uri: string): string | undefined {
    if (uri === OVERVIEW) return describeEntityTypes(context.model, visibleEntityTypes(context))
    const slug = uri.startsWith(`${OVERVIEW}/`) ? uri.slice(OVERVIEW.length + 1) : ''
    const entityType = findVisible(context, slug)
    return entityType && describeEntityType(context.model, entityType)
  }
}
