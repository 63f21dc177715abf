import { type AnyElysia, Elysia } from 'elysia'
import { MCP_PATH } from '#access/oauth/metadata'
import type { AnswerAssistant } from './endpoint'

const HOOK = { parse: 'none', detail: { hide: true } } as const

/** The endpoint reads its own body. Comes after `bearerTokens`. Without its types, for the reason of `apiRoutes` in `app.ts`. */
export function mcpRoutes(answer: AnswerAssistant): AnyElysia {
  const handle = ({ request, bearer }: { request: Request; bearer?: string | undefined }) => answer(request, bearer)
  return new Elysia({ name: 'mcp' })
    .get(MCP_PATH, handle, HOOK)
    .post(MCP_PATH, handle, HOOK)
    .delete(MCP_PATH, handle, HOOK)
}
