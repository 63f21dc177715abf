/** The schemas of test endpoints. */

import { type Static, Type } from 'typebox'

const Uuid = Type.String({ format: 'uuid' })
const Timestamp = Type.String({ format: 'date-time' })
const HeaderName = '^[A-Za-z0-9-]{1,100}$'
const Headers = Type.Record(
  Type.String({ pattern: HeaderName }),
  Type.String({ maxLength: 1000, pattern: '^[\\x20-\\x7e]*$' }),
  {
    additionalProperties: false,
    maxProperties: 20,
  },
)

const Answer = {
  status: Type.Integer({ minimum: 200, maximum: 599 }),
  headers: Headers,
  body: Type.String({ maxLength: 65_536 }),
  delay_ms: Type.Integer({ minimum: 0, maximum: 10_000 }),
  fail_first: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description: 'The number of requests that first get a response with status 500.',
  }),
}

export const TestEndpointInput = Type.Partial(
  Type.Object({
    name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
    ...Answer,
    expires_in_days: Type.Integer({ minimum: 1, maximum: 30, default: 7 }),
  }),
)
export type TestEndpointInput = Static<typeof TestEndpointInput>

export const TestEndpointBody = Type.Object({ data: TestEndpointInput })

export const TestEndpoint = Type.Object({
  test_endpoint_id: Uuid,
  name: Type.String(),
  url: Type.String({ format: 'uri', description: 'Takes any request from anywhere.' }),
  ...Answer,
  received: Type.Integer({ description: 'The number of requests so far. `fail_first` counts from the first.' }),
  created_at: Timestamp,
  expires_at: Timestamp,
})
export type TestEndpoint = Static<typeof TestEndpoint>

export const TestRequest = Type.Object({
  test_request_id: Uuid,
  at: Timestamp,
  method: Type.String(),
  path: Type.String({ description: 'The path below the endpoint, with the query.' }),
  headers: Type.Record(Type.String(), Type.String()),
  body: Type.String(),
  body_base64: Type.Union([Type.String(), Type.Null()], {
    description: 'The original bytes in base64, when `body` cannot represent them because they are not text.',
  }),
  webhook_id: Type.Union([Uuid, Type.Null()], { description: 'The webhook whose message it says it is.' }),
  signature: Type.Enum(['valid', 'invalid', 'absent']),
  answered_status: Type.Integer(),
})
export type TestRequest = Static<typeof TestRequest>

export const TestRequestsQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String()),
  before: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'Only requests received before the request with this id. Send it without a cursor.',
    }),
  ),
})
export type TestRequestsQuery = Static<typeof TestRequestsQuery>

export const TestEndpointAnswer = Type.Object({ data: TestEndpoint })
export const TestEndpointsAnswer = Type.Object({ data: Type.Array(TestEndpoint) })
export const TestRequestsAnswer = Type.Object({
  data: Type.Array(TestRequest),
  pagination: Type.Object({ next_cursor: Type.Union([Type.String(), Type.Null()]) }),
})
export const TestRequestsStream = Type.Unsafe<string>({ type: 'string', description: 'text/event-stream' })
