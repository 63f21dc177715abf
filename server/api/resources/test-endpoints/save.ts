/** Creates, updates, reads and deletes test endpoints. */

import { isUuid } from '#vocabulary/uuids'
import type { ApiContext } from '#context'
import { invalidRequest } from '#base/errors/http'
import { testEndpointNotFound } from '#base/errors/webhooks'
import { newId } from '#base/ids'
import { timestampFromMicros } from '#base/timing/clock'
import { refuseHeaders } from './receive'
import type { TestEndpoint, TestEndpointInput } from './schemas'
import { deleteEndpointRow, findEndpointRow, saveEndpointRow, type EndpointRow } from './store'

const DAY_MICROS = 86_400_000_000
const DEFAULT_DAYS = 7

/** Throws 400 for headers that a test endpoint may not set. */
export async function createEndpoint(context: ApiContext, input: TestEndpointInput): Promise<TestEndpoint> {
  refuseHeaders(input.headers)
  const { expires_in_days = DEFAULT_DAYS, ...answer } = input
  const at = context.now()
  const endpoint: EndpointRow = {
    name: 'Test endpoint',
    status: 200,
    headers: {},
    body: '',
    delay_ms: 0,
    fail_first: 0,
    ...answer,
    id: newId(),
    workspace_id: context.model.workspace.id,
    token: crypto.getRandomValues(new Uint8Array(16)).toHex(),
    received: 0,
    created_at: timestampFromMicros(at),
    expires_at: timestampFromMicros(at + expires_in_days * DAY_MICROS),
  }
  await saveEndpointRow(context, endpoint)
  return renderEndpoint(context, endpoint)
}

/** Throws 404, and 400 as `createEndpoint` does. */
export async function updateEndpoint(
  context: ApiContext,
  id: string,
  change: TestEndpointInput,
): Promise<TestEndpoint> {
  const endpoint = await getEndpointRow(context, id)
  refuseHeaders(change.headers)
  const { expires_in_days, ...answer } = change
  const expires = expires_in_days && { expires_at: timestampFromMicros(context.now() + expires_in_days * DAY_MICROS) }
  const changed = { ...endpoint, ...answer, ...expires }
  await saveEndpointRow(context, changed)
  return renderEndpoint(context, changed)
}

/** Deletes an endpoint and its requests. Throws 404. */
export async function deleteEndpoint(context: ApiContext, id: string): Promise<void> {
  const endpoint = await getEndpointRow(context, id)
  if (!(await deleteEndpointRow(context, endpoint.id))) throw testEndpointNotFound(id)
}

/** Throws 404, and 400 when `id` is not a UUID. */
export async function getEndpointRow(context: ApiContext, id: string): Promise<EndpointRow> {
  if (!isUuid(id)) throw invalidRequest(`Test endpoint ID "${id}" is not a UUID.`)
  const endpoint = await findEndpointRow(context, id.toLowerCase())
  if (endpoint === undefined) throw testEndpointNotFound(id)
  return endpoint
}

/** The path at which the addresses of test endpoints begin. */
export const HOOKS_PATH = '/hooks/'

export const renderEndpoint = ({ appUrl }: ApiContext, endpoint: EndpointRow): TestEndpoint => ({
  test_endpoint_id: endpoint.id,
  name: endpoint.name,
  url: `${appUrl}${HOOKS_PATH}${endpoint.token}`,
  status: endpoint.status,
  headers: endpoint.headers,
  body: endpoint.body,
  delay_ms: endpoint.delay_ms,
  fail_first: endpoint.fail_first,
  received: endpoint.received,
  created_at: endpoint.created_at,
  expires_at: endpoint.expires_at,
})
