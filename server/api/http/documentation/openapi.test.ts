/** The scopes and the OAuth endpoints in the OpenAPI document. See docs/reference/access-and-oauth.md (Scopes, Token endpoint). */

import { beforeAll, describe, expect, test } from 'bun:test'
import type { AnswerBody } from '#testing/client'
import { AREAS } from '#vocabulary/scopes'
import { useTestService } from '#testing/use-service'

interface Parameter {
  readonly name: string
  readonly required: boolean
}

type Media = Readonly<Record<string, { readonly schema: { readonly required?: string[] } }>>

interface Operation {
  readonly operationId: string
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Media }
  readonly responses: Readonly<Record<string, { content?: Media; headers?: object }>>
  readonly 'x-required-scopes'?: readonly string[]
}

const service = useTestService({ appUrl: 'https://crm.example.com' })
let document: AnswerBody
beforeAll(async () => {
  document = (await service.request('GET', '/openapi.json', undefined, { key: null })).body
})

const operationsBelow = (prefix: string): Operation[] =>
  Object.entries<Record<string, Operation>>(document.paths)
    .filter(([path]) => path.startsWith(prefix))
    .flatMap(([, methods]) => Object.values(methods))

const nameOf = ({ name }: Parameter) => name

const FORM = 'application/x-www-form-urlencoded'

describe('the OpenAPI document', () => {
  test('names OAuth 2.0 with its endpoints and every scope', () => {
    const { type, flows } = document.components.securitySchemes.oauth2
    expect([type, Object.keys(flows)]).toEqual(['oauth2', ['authorizationCode']])
    const { authorizationUrl, tokenUrl, scopes } = flows.authorizationCode
    expect([authorizationUrl, tokenUrl]).toEqual([
      'https://crm.example.com/authorize',
      'https://crm.example.com/oauth/token',
    ])
    expect(Object.keys(scopes)).toEqual(Object.keys(AREAS).flatMap((area) => [`${area}:read`, `${area}:read-write`]))
    for (const words of Object.values(scopes)) expect(words).toBeString()
  })

  test('gives each text that is stored as it is a length', () => {
    const bodies = operationsBelow('/v2/').flatMap(({ operationId, requestBody }) =>
      Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => [...textsWithoutLength(schema, operationId)]),
    )
    const others = bodies.filter(
      (path) => !NAMES.has(memberOf(path)) && !CHECKED.has(memberOf(path)) && !OPTION_TITLE.test(path),
    )
    expect(others).toEqual([])
  })

  test('names the scopes of every operation', () => {
    expect(document.security).toEqual([{ oauth2: [] }, { bearer: [] }, { basic: [] }])
    for (const { operationId, security, ...operation } of operationsBelow('/v2/')) {
      const scopes = operation['x-required-scopes'] ?? []
      expect([operationId, security[0]]).toEqual([operationId, { oauth2: scopes }])
      expect(security.slice(-2)).toEqual([{ bearer: [] }, { basic: [] }])
    }
  })

  test('names the older scope that also allows to read attributes of lists', () => {
    const { security } = document.paths['/v2/lists/{list}/attributes'].get
    expect(security.slice(0, 2)).toEqual([
      { oauth2: ['list_configuration:read'] },
      { oauth2: ['object_configuration:read'] },
    ])
  })

  test('describes /authorize', () => {
    const { operationId, parameters, responses, security } = document.paths['/authorize'].get
    expect([operationId, security]).toEqual(['authorize', []])
    const required = parameters.filter((each: Parameter) => each.required).map(nameOf)
    expect(required).toEqual(['response_type', 'client_id', 'redirect_uri'])
    const names = parameters.map(nameOf)
    expect(names).toEqual(expect.arrayContaining(['state', 'scope', 'code_challenge', 'code_challenge_method']))
    expect(responses['302'].headers).toHaveProperty('Location')
  })

  test.each([
    ['/oauth/token', 'exchangeToken', ['grant_type'], ['access_token', 'token_type']],
    ['/oauth/introspect', 'introspectToken', undefined, undefined],
    ['/oauth/revoke', 'revokeToken', ['token'], undefined],
  ])('describes the parameters and responses of %s', (path, id, needed, answered) => {
    const operation: Operation = document.paths[path].post
    const { operationId, requestBody, responses } = operation
    expect(operationId).toBe(id)
    for (const type of [FORM, 'application/json'])
      expect(requestBody?.content[type]?.schema.required).toEqual(needed as string[])
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '400', '401']))
    const schema = responses['200']?.content?.['application/json']?.schema
    expect(schema?.required).toEqual(answered)
    expect(Object.keys(document.components.schemas)).toContain('oauth_error')
  })

  test('names only security schemes that it defines', () => {
    const schemes = Object.keys(document.components.securitySchemes)
    const named = operationsBelow('/').flatMap(({ security }) => security.flatMap((each) => Object.keys(each)))
    expect(schemes).toEqual(expect.arrayContaining([...new Set(named)]))
  })
})

/** Members that name something that exists. */
const NAMES = new Set(
  'object objects list parent_object allowed_objects attribute visible_attributes sum_attribute group_by split_by time_attribute owner_attribute fields field path sum cursor record_id entry_id matching_attribute'.split(
    ' ',
  ),
)
/** Members that are parsed, or whose length is checked with a message of its own. */
const CHECKED = new Set(['active_from', 'active_until', 'created_at', 'template', 'sql', 'content', 'entered'])

const OPTION_TITLE = /(?:SelectOption|Status)\.data\.title$|\.config\.options(?:\.title)?$/

const memberOf = (path: string): string => path.split('.').at(-1) ?? ''

/** Yields the paths of texts that may have any length. */
function* textsWithoutLength(schema: AnswerBody, path: string): Generator<string> {
  const { $ref, type, properties = {}, items, anyOf = [], oneOf = [], allOf = [] } = schema
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1)
    yield* textsWithoutLength(document.components.schemas[name], path)
  }
  const isLimited = ['maxLength', 'enum', 'const', 'format', 'pattern'].some((rule) => rule in schema)
  if (type === 'string' && !isLimited) yield path
  for (const [name, member] of Object.entries(properties)) yield* textsWithoutLength(member, `${path}.${name}`)
  if (items !== undefined) yield* textsWithoutLength(items, path)
  for (const option of [...anyOf, ...oneOf, ...allOf]) yield* textsWithoutLength(option, path)
}
