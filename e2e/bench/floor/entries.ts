/** The entries of the floor: rows, responses in the form of the service, and routes. */

import type { Sql } from '#db/connect'
import { type FloorContext, type FloorOption, timestamp, timestampOf } from './person'
import { EMPTY_LIST, FULL_LIST } from '../workloads/entries'

type Origin = readonly [micros: number, actor: number]

/** A row from the driver: timestamps and decimals as text, jsonb parsed. */
interface EntryRow {
  readonly id: string
  readonly created_at: string
  readonly created_by: number
  readonly provenance: Readonly<Record<string, Origin>> | null
  readonly parent_record_id: string
  /** The number of an option. */
  readonly stage_status: number | null
  readonly worth_currency_value: string | null
  readonly note_value: string | null
}

/** The bench sends only well-formed bodies. */
interface EntryBody {
  readonly data: {
    readonly parent_record_id: string
    readonly entry_values: { readonly stage: string; readonly worth: number; readonly note: string }
  }
}
interface EntryQuery {
  readonly filter: {
    readonly $and: readonly [{ readonly stage: string }, { readonly constraints: { readonly locality: string } }]
  }
  readonly limit: number
}

/** The number of the note in `history`. */
const NOTE = 3
/** The number of the object people. */
const PEOPLE = 1

const PAGE = `
  select e.* from floor.${FULL_LIST} e
  where e.stage_status = $1
    and e.parent_record_id in (select p.id from floor.people p where p.primary_location_locality = $2)
  order by e.created_at, e.id limit $3`

const CHANGE_NOTE = `
  with old as (select id, note_value as v, created_at, created_by, provenance from floor.${FULL_LIST}
    where parent_record_id = $1 for update),
  ended as (insert into floor.history (entity_id, attribute, active_from, active_until, actor, value)
    select id, ${NOTE}, coalesce(to_timestamp((provenance->'note'->>0)::float8 / 1000000), created_at), now(),
      coalesce((provenance->'note'->>1)::int, created_by), to_jsonb(v) from old where v is not null)
  update floor.${FULL_LIST} e set note_value = $2, updated_at = now(), updated_by = $3, version = e.version + 1,
    provenance = jsonb_set(coalesce(e.provenance, '{}'), '{note}',
      jsonb_build_array((extract(epoch from now()) * 1000000)::bigint, $3::int))
  from old where e.id = old.id returning e.*`

/** Few requests find an existing entry, so its history is left out. */
const MAKE_FIRST = `
  insert into floor.${EMPTY_LIST} as e (id, created_at, created_by, updated_at, updated_by, parent_object,
    parent_record_id, stage_status, worth_currency_value, note_value)
  values ($1, now(), $2, now(), $2, ${PEOPLE}, $3, $4, $5, $6)
  on conflict (parent_record_id) do update set stage_status = excluded.stage_status,
    worth_currency_value = excluded.worth_currency_value, note_value = excluded.note_value,
    updated_at = excluded.updated_at, updated_by = excluded.updated_by, version = e.version + 1
  returning e.*`

/** Returns the routes, or none when the lists do not exist. */
export async function floorEntries(sql: Sql, context: FloorContext, actor: number) {
  const [made] = await sql<{ exists: boolean }[]>`select to_regclass('floor.stages') is not null as exists`
  const stages = made?.exists ? await sql<(FloorOption & { list: string })[]>`select * from floor.stages` : []
  const run = async (text: string, values: readonly unknown[]) =>
    (await sql.unsafe(text, values as never[], { prepare: true })) as unknown as EntryRow[] // the statement selects whole rows
  const stage = (list: string, title: string) =>
    stages.find((option) => option.list === list && option.title === title)?.number ?? null
  const render = (row: EntryRow) => renderEntry(row, context)
  const one = ([row]: EntryRow[]) => Response.json({ data: row && render(row) })
  const bodyOf = async (request: Request) => ((await request.json()) as EntryBody).data // as above
  return {
    [`/v2/lists/${FULL_LIST}/entries`]: {
      PUT: async (request: Request) => {
        const { parent_record_id, entry_values } = await bodyOf(request)
        return one(await run(CHANGE_NOTE, [parent_record_id, entry_values.note, actor]))
      },
    },
    [`/v2/lists/${EMPTY_LIST}/entries`]: {
      PUT: async (request: Request) => {
        const { parent_record_id, entry_values: values } = await bodyOf(request)
        const stageNumber = stage(EMPTY_LIST, values.stage)
        const row = [Bun.randomUUIDv7(), actor, parent_record_id, stageNumber, values.worth, values.note]
        return one(await run(MAKE_FIRST, row))
      },
    },
    [`/v2/lists/${FULL_LIST}/entries/query`]: {
      POST: async (request: Request) => {
        const { filter, limit } = (await request.json()) as EntryQuery // as above
        const [own, ofParent] = filter.$and
        const rows = await run(PAGE, [stage(FULL_LIST, own.stage), ofParent.constraints.locality, limit])
        return Response.json({ data: rows.map(render) })
      },
    },
  }
}

function renderEntry(row: EntryRow, { workspaceId, objectId, actors, options }: FloorContext) {
  const created_at = timestamp(row.created_at)
  const creator = actors.get(row.created_by) ?? { type: 'system', id: null }
  const value = (type: string, slug: string, members: object) => {
    const origin = row.provenance?.[slug]
    return {
      active_from: origin ? timestampOf(origin[0]) : created_at,
      active_until: null,
      created_by_actor: origin ? actors.get(origin[1]) : creator,
      ...members,
      attribute_type: type,
    }
  }
  const stage = options.get(row.stage_status ?? 0)
  const worth = row.worth_currency_value
  return {
    id: { workspace_id: workspaceId, list_id: objectId, entry_id: row.id },
    parent_record_id: row.parent_record_id,
    parent_object: 'people',
    created_at,
    entry_values: {
      entry_id: [value('text', 'entry_id', { value: row.id })],
      created_at: [value('timestamp', 'created_at', { value: created_at })],
      created_by: [
        value('actor-reference', 'created_by', {
          referenced_actor_type: creator.type,
          referenced_actor_id: creator.id,
        }),
      ],
      stage: stage ? [value('status', 'stage', { status: statusOf(stage, workspaceId, objectId) })] : [],
      worth:
        worth === null ? [] : [value('currency', 'worth', { currency_value: Number(worth), currency_code: 'USD' })],
      note: row.note_value === null ? [] : [value('text', 'note', { value: row.note_value })],
    },
  }
}

function statusOf(option: FloorOption, workspace_id: string, object_id: string) {
  const { id: status_id, attribute_id, title, is_archived, celebration_enabled, target_time_in_status } = option
  const id = { workspace_id, object_id, attribute_id, status_id }
  return { id, title, is_archived, celebration_enabled, target_time_in_status }
}
