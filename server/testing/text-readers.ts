/** All functions of the service that read text from outside, for a test of their running time. */

import { IsSchema, type TSchema } from 'typebox'
import { readCredentials } from '#access/tokens/authenticate'
import { networkOf } from '#access/throttle/throttle'
import { passwordProblem } from '#access/accounts/passwords'
import type { Operator } from '#engine/attribute-types/define'
import { parseValue } from '#engine/attribute-types/definition/parse-value'
import { attributeTypes } from '#engine/attribute-types/registry'
import { attribute, EVERYTHING, model } from '#engine/attribute-types/testing/sample-model'
import { parseHostName } from '#engine/attribute-types/formats/host-names'
import { isUuid } from '#vocabulary/uuids'
import { findClosest } from '#base/text/find-closest'
import { TYPE_NAMES, type TypeName } from '#vocabulary/data-model'
import { isFieldOf } from '#events/webhooks/match/webhook-access'
import { nextAttemptAt } from '#events/webhooks/record/retry-schedule'
import { createTargetPolicy } from '#events/webhooks/send/target'
import { clientAddress, isSameOrigin } from '#api/http/request/request-url'
import { chooseEncoding } from '#api/http/response/answer'
import { csvDownload } from '#api/http/response/export-stream'
import { findInvalidUnicode, measureJson } from '#api/http/request/parse-body'
import { readIdempotencyKey } from '#api/http/idempotency/idempotent-request'
import { findConverter } from '#transfer/import/convert/converters'
import { findDelimiter } from '#transfer/import/csv/csv'
import { guessType } from '#transfer/import/mapping/guess-type'
import { parsePairs, parseTarget } from '#transfer/import/mapping/mapping'
import { proposeColumns } from '#transfer/import/mapping/propose-mapping'
import { splitRows } from '#transfer/import/csv/split-rows'
import { requestedScopes } from '#access/oauth/requested-scopes'
import { readClientCredentials } from '#access/oauth/clients'
import { isWellFormed } from '#access/oauth/authorize/codes'
import { isRegistered, problemOfRedirectUri } from '#access/oauth/apps/redirect-uri'
import type { StoredEntity } from '#engine/storage/read-entities'
import { requireMatch } from '#engine/entities/read/etag'
import { collectWords, renderRawTranscript } from '#api/resources/call-recordings/transcript/transcript'
import { parseCursor } from '#api/resources/events/read'
import { parseFilter } from '#engine/query/parse/parse-filter'
import { UNUSED_RELATIVE_CONTEXT } from '#engine/query/resolve/relative'
import { resolveFilter } from '#engine/query/resolve/resolve-query'
import { readSearchQuery } from '#engine/search/words'
import { atOnce } from '#base/timing/in-slices'
import { compileCheck } from '#base/validation/compile-check'
import { READ_WRITE_SCOPES, isScope } from '#vocabulary/scopes'

export interface TextReader {
  readonly name: string
  readonly read: (text: string) => unknown
  /** The length of the longest text that reaches the function; undefined without a limit. */
  readonly longest?: number | undefined
}

/** The runtime refuses longer header fields and longer URLs. */
const HEADERS = 64 * 1024
const URLS = 16 * 1024
const PIECE = 64 * 1024

/** An operator of each kind: on a whole value, on a part of it, on its order. */
const OPERATORS: readonly Operator[] = ['$eq', '$contains', '$lt']

const ofTypes = (type: TypeName): TextReader[] => {
  const { input, properties } = attributeTypes[type]
  const single = attribute(type)
  const members = Object.entries((input as { properties?: object }).properties ?? {}) // a TypeBox object has them
  return [
    { name: `${type}: a value`, read: (text) => parseValue(text, single, model) },
    ...distinct(members).map(([member]) => ({
      name: `${type}: a value's ${member}`,
      read: (text: string) => parseValue({ ...nulls(members), [member]: text }, single, model),
    })),
    ...Object.entries(properties).flatMap(([name, property]) =>
      property.operators
        .filter((operator) => OPERATORS.includes(operator))
        .map((operator) => ({
          name: `${type}: an operand of ${name} ${operator}`,
          read: (text: string) => property.operand(text, single, model, operator),
        })),
    ),
    ...[false, true].flatMap((is_multiselect) => {
      const convert = findConverter(type)?.convert
      const conversion = { attribute: attribute(type, { is_multiselect }), model, isExact: false, country: undefined }
      const name = `${type}: a cell of ${is_multiselect ? 'several values' : 'one value'}`
      return convert === undefined ? [] : [{ name, read: (text: string) => convert(text, conversion) }]
    }),
    ...(findConverter(type)?.parts?.names ?? []).map((part) => ({
      name: `${type}: a cell of ${part}`,
      read: (text: string) => findConverter(type)?.parts?.convert({ [part]: text }, false),
    })),
  ]
}

/** Removes schemas that check the same as an earlier one. */
const distinct = <T>(named: readonly (readonly [name: string, schema: T])[]) => [
  ...new Map(named.map((each) => [JSON.stringify({ ...each[1], description: '' }), each])).values(),
]

const nulls = (members: readonly (readonly [name: string, schema: unknown])[]) =>
  Object.fromEntries(members.map(([name]) => [name, null]))

const targets = createTargetPolicy({ allowPrivate: false, resolve: async () => [] })

const header = (text: string) => ({ get: () => text }) as unknown as Headers // the only method that the readers use
const withHeader = (text: string) => ({ headers: header(text) }) as unknown as Request // as above
const entity = { version: 1 } as StoredEntity // as above
const encoder = new TextEncoder()

const OF_HEADERS: TextReader[] = [
  { name: 'a token', read: readCredentials },
  { name: 'client credentials', read: (text: string) => readClientCredentials(text, new Map()) },
  { name: 'an idempotency key', read: (text: string) => readIdempotencyKey(header(text)) },
  { name: 'forwarded addresses', read: (text: string) => clientAddress(withHeader(text), null, 1) },
  { name: 'a network', read: networkOf },
  { name: 'accepted encodings', read: chooseEncoding },
  { name: 'entity tags', read: (text: string) => requireMatch(entity, text) },
  { name: 'an origin', read: (text: string) => isSameOrigin(withHeader(text), 'http://localhost') },
  {
    name: 'a receiver’s Retry-After',
    read: (text: string) => nextAttemptAt({ attempts: 1, at: 0, status: 429, retryAfter: text }, 0.5),
  },
  { name: 'a redirect address', read: (text: string) => isRegistered(text, ['http://localhost/']) },
  { name: 'scopes', read: (text: string) => requestedScopes(READ_WRITE_SCOPES, text) },
  { name: 'a PKCE verifier', read: isWellFormed },
  { name: 'a cursor of the feed', read: parseCursor },
].map((reader) => ({ ...reader, longest: HEADERS }))

const speech = (text: string) => ({ speech: text, start_time: 0, end_time: 1, speaker: { name: 'Ada' } })

const OF_BODIES: TextReader[] = [
  {
    name: 'JSON before it is parsed',
    read: (text) => measureJson(encoder.encode(text), { depth: 200, values: 200_000, members: 50_000 }),
  },
  {
    name: 'JSON with text that cannot be stored',
    read: (text) => findInvalidUnicode(JSON.stringify(text), [{ text }]),
  },
  { name: 'a host name', read: parseHostName },
  { name: 'an id', read: isUuid },
  { name: 'a scope', read: isScope },
  { name: 'a password', read: (text) => passwordProblem(text, 'ada@relata.dev'), longest: 10_000 },
  { name: 'a mistyped word', read: (text) => findClosest(text, ['people', 'companies']) },
  { name: 'a redirect address to be registered', read: (text) => problemOfRedirectUri(text, true) },
  { name: 'the target of a webhook', read: (text) => targets.refusal(text) },
  { name: 'a condition of a webhook', read: (text) => isFieldOf('record.updated', text) },
  {
    name: 'a filter’s attribute',
    read: (text) =>
      resolveFilter({ model, relativeContext: UNUSED_RELATIVE_CONTEXT }, EVERYTHING, parseFilter({ [text]: 1 })),
  },
  {
    name: 'a relative operand',
    read: (text) =>
      resolveFilter(
        { model, relativeContext: UNUSED_RELATIVE_CONTEXT },
        EVERYTHING,
        parseFilter({ date: { $relative: text } }),
      ),
  },
  {
    name: 'a filter’s field',
    read: (text) =>
      resolveFilter(
        { model, relativeContext: UNUSED_RELATIVE_CONTEXT },
        EVERYTHING,
        parseFilter({ text: { [text]: 1 } }),
      ),
  },
  { name: 'words to be searched', read: readSearchQuery, longest: 256 },
  { name: 'a speech', read: (text) => atOnce(collectWords([speech(text)])), longest: 10_000 },
  { name: 'a speech as text', read: (text) => renderRawTranscript([speech(text)]), longest: 10_000 },
]

const OF_FILES: TextReader[] = [
  { name: 'the delimiter of a CSV file', read: findDelimiter, longest: PIECE },
  { name: 'the rows of a CSV file', read: rowsOf, longest: 4 * PIECE },
  { name: 'the type of a column', read: (text) => guessType([text]), longest: 1000 },
  {
    name: 'where a column goes',
    read: (text) => proposeColumns(model, EVERYTHING, [{ name: text, sample: [text] }], new Map()),
    longest: 1000,
  },
  { name: 'a written target of a column', read: parseTarget },
  { name: 'written targets of columns', read: parsePairs, longest: PIECE },
  {
    name: 'the name of a file to be downloaded',
    read: (text) => csvDownload({ fileName: text, columns: [], pages: noPages(), valueOf: () => '' }),
    longest: URLS,
  },
]

async function* noPages() {}

/** Splits rows in the pieces in which a file is read. Other requests run between two pieces. */
function rowsOf(text: string) {
  const rows = splitRows(',')
  for (let at = 0; at < text.length; at += PIECE) rows.take(text.slice(at, at + PIECE))
  return rows.end()
}

export const TEXT_READERS: readonly TextReader[] = [
  ...OF_HEADERS,
  ...OF_BODIES,
  ...OF_FILES,
  ...TYPE_NAMES.flatMap(ofTypes),
]

/** The names of the schemas of requests. */
const READ = /(?:Body|Query)$/

/** Returns the checks of all text schemas. `modules` are the exports of files, by file name. */
export function readersOfSchemas(modules: Readonly<Record<string, object>>): TextReader[] {
  const read = Object.entries(modules).flatMap(([file, exported]) =>
    Object.entries(exported).flatMap(([name, schema]) =>
      READ.test(name) ? [[`${file} ${name}`, schema] as const] : [],
    ),
  )
  const found = read.flatMap(([name, schema]) => textsIn(schema, name))
  return distinct(found).map(([name, schema]) => ({
    name,
    read: compileCheck(schema),
    longest: name.includes('Query') ? URLS : undefined,
  }))
}

/** Returns each text schema with its path. */
function textsIn(schema: unknown, name: string): [name: string, schema: TSchema][] {
  if (typeof schema !== 'object' || schema === null) return []
  const isText = IsSchema(schema) && 'type' in schema && schema.type === 'string'
  const inside = Object.entries(schema).flatMap(([key, inner]) => textsIn(inner, `${name} ${key}`))
  return isText ? [[name, schema], ...inside] : inside
}
