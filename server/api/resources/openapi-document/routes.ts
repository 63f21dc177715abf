import { Elysia } from 'elysia'
import { Type } from 'typebox'
import { loadOnce } from '#base/caching/caching'
import type { RouteGuard } from '#api/http/guard/route'
import { JsonText } from '#api/http/response/answer'
import { makeWorkspaceDocument, type OpenApiDocument } from './workspace-document'

const DocumentAnswer = Type.Object({
  openapi: Type.String(),
  info: Type.Object({ title: Type.String(), version: Type.String() }),
  paths: Type.Record(Type.String(), Type.Unknown()),
  components: Type.Record(Type.String(), Type.Unknown()),
})

/** `readPublicDocument` returns the document at `/openapi.json`. */
export function openApiDocumentRoutes(guard: RouteGuard, readPublicDocument: () => Promise<OpenApiDocument>) {
  const publicDocument = loadOnce(readPublicDocument)
  return new Elysia({ name: 'openapi-document' }).get(
    ...guard(
      '/v2/openapi.json',
      {
        operation: 'getOpenApiDocument',
        summary: "Get the OpenAPI document of the workspace's data model",
        description:
          'The operations on records and entries have a path for each object and list, with its attributes as schemas. ' +
          'Lists are in it for a caller with `list_configuration:read`.',
        tag: 'Meta',
        scopes: ['object_configuration:read'],
        response: DocumentAnswer,
      },
      async ({ context }) => {
        const document = makeWorkspaceDocument(context, await publicDocument())
        return new JsonText(JSON.stringify(document))
      },
    ),
  )
}
