/**
 * Compares the scopes of each operation with the table of the reference.
 * See docs/reference/access-and-oauth.md (Scopes).
 */

import { beforeAll, expect, test } from 'bun:test'
import { ACTIVITY_RECORD_SCOPES, type Scope } from '#vocabulary/scopes'
import { allOperations, isRead, type Operation } from '#testing/operations'
import { useTestService } from '#testing/use-service'

type Needs = readonly Scope[]

const RECORDS: Needs = ['record_permission:read', 'object_configuration:read']
const TASKS: Needs = ['object_configuration:read', 'record_permission:read', 'user_management:read']

/** Paths, with the scopes for reading and for writing. The first pattern that matches counts. */
const TABLE: readonly (readonly [RegExp, Needs, Needs])[] = [
  [/^\/v2\/openapi\.json$/, ['object_configuration:read'], []],
  [/^\/v2\/objects\/.*\/entries$/, [...RECORDS, 'list_entry:read'], []],
  [/^\/v2\/objects\/.*records/, RECORDS, ['record_permission:read-write', 'object_configuration:read']],
  [/^\/v2\/objects/, ['object_configuration:read'], ['object_configuration:read-write']],
  [
    /^\/v2\/lists\/\{list\}\/entries/,
    ['list_entry:read', 'list_configuration:read'],
    ['list_entry:read-write', 'list_configuration:read'],
  ],
  [/^\/v2\/activities\/\{activity\}\/records/, ACTIVITY_RECORD_SCOPES.read, ACTIVITY_RECORD_SCOPES.write],
  [/^\/v2\/activities/, ['activity_configuration:read'], ['activity_configuration:read-write']],
  [/^\/v2\/lists/, ['list_configuration:read'], ['list_configuration:read-write']],
  // Those of lists and of activities serve as well.
  [
    /^\/v2\/jobs/,
    ['record_permission:read-write', 'object_configuration:read'],
    ['record_permission:read-write', 'object_configuration:read'],
  ],
  [/^\/v2\/sql/, RECORDS, []],
  [
    /^\/v2\/dashboards/,
    ['object_configuration:read', 'list_configuration:read'],
    ['object_configuration:read-write', 'list_configuration:read-write'],
  ],
  [/^\/v2\/trash\/objects/, ['object_configuration:read'], []],
  [/^\/v2\/trash\/activities/, ['activity_configuration:read'], []],
  [/^\/v2\/workspace_members/, ['user_management:read'], []],
  [/^\/v2\/notes/, ['note:read', ...RECORDS], ['note:read-write', ...RECORDS]],
  [/^\/v2\/tasks/, ['task:read', ...TASKS], ['task:read-write', ...TASKS]],
  [/^\/v2\/(?:threads|comments)/, ['comment:read'], ['comment:read-write']],
  [/call_recordings/, ['meeting:read', 'call_recording:read'], ['meeting:read', 'call_recording:read-write']],
  [/^\/v2\/meetings/, ['meeting:read', 'record_permission:read'], ['meeting:read-write', 'record_permission:read']],
  [/^\/v2\/emails\/templates\/.*\/preview$/, ['email:read', ...RECORDS], []],
  [
    /^\/v2\/emails\/templates/,
    ['email:read', 'object_configuration:read'],
    ['email:read-write', 'object_configuration:read'],
  ],
  [/^\/v2\/emails/, ['email:read'], ['email:read-write']],
  [/^\/v2\/sequences/, [], ['sequence_unsubscribe:read-write']],
  [/^\/v2\/files/, ['file:read', ...RECORDS], ['file:read-write', ...RECORDS]],
  [/^\/v2\/(?:webhooks|test_endpoints|events)/, ['webhook:read'], ['webhook:read-write']],
]

/** Operations that differ from the other methods of their path. */
const EXCEPTIONS: Readonly<Record<string, Needs>> = {
  'DELETE /v2/activities/{activity}': ['activity_configuration:read-write', 'activity_record:read-write'],
  'DELETE /v2/meetings/{meeting_id}': ['meeting:read-write'],
  'DELETE /v2/objects/{object}': ['object_configuration:read-write', 'record_permission:read-write'],
  'POST /v2/activities/{activity}/restore': ['activity_configuration:read-write', 'activity_record:read-write'],
  'POST /v2/objects/{object}/restore': ['object_configuration:read-write', 'record_permission:read-write'],
  'DELETE /v2/notes/{note_id}': ['note:read-write'],
  'DELETE /v2/tasks/{task_id}': ['task:read-write'],
}

/** Only for tokens that act for a member. */
const OF_MEMBERS = /^\/v2\/emails\/sen[dt]/

function needed(operation: Operation): Needs | undefined {
  const exception = EXCEPTIONS[`${operation.method} ${operation.template}`]
  const row = TABLE.find(([pattern]) => pattern.test(operation.template))
  return exception ?? row?.[isRead(operation) ? 1 : 2]
}

const service = useTestService()
let guarded: Operation[]
beforeAll(async () => {
  guarded = (await allOperations(service)).filter(({ scopes }) => scopes !== undefined)
})

test('every operation needs exactly the scopes of the table', () => {
  const asked = guarded.map(({ id, scopes }) => [id, scopes?.toSorted()])
  expect(asked).toEqual(guarded.map((operation) => [operation.id, needed(operation)?.toSorted()]))
})

test('a token with exactly these scopes may call the operation', async () => {
  for (const operation of guarded) {
    const keyWith = OF_MEMBERS.test(operation.template) ? service.memberKeyWith : service.keyWith
    const key = await keyWith(operation.scopes ?? [])
    const { status } = await service.request(operation.method, operation.path, undefined, { key })
    expect([operation.id, status]).not.toEqual([operation.id, 403])
  }
})

test('the operations of members refuse tokens of the workspace', async () => {
  for (const { id, method, path, template } of guarded.filter((each) => OF_MEMBERS.test(each.template))) {
    const { status, body } = await service.request(method, path)
    expect([id, template, status, body.code]).toEqual([id, template, 403, 'unauthorized'])
  }
})

test('the scopes of an older contract also allow to read attributes of lists', async () => {
  const reading = await service.keyWith(['object_configuration:read'])
  const writing = await service.keyWith(['object_configuration:read-write'])
  for (const operation of guarded.filter(({ template }) => template.startsWith('/v2/lists/{list}/attributes'))) {
    const key = isRead(operation) ? reading : writing
    const { status } = await service.request(operation.method, operation.path, undefined, { key })
    expect([operation.id, status]).not.toEqual([operation.id, 403])
  }
})
