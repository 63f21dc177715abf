import type { Database } from '#db/connect'
import { equal } from '#engine/data-model/kysely-in-transaction'
import { loadDataModel } from '#engine/data-model/load'
import { expectedTables } from '#engine/workspaces/create-workspace'
import { type ActualTable, readTables, compareTables, type Difference } from './compare'
import { defineCommand } from '#run/cli/command'
import { allowTriggers, sendCommands } from '#db/citus'
import { changeWorkspaceModel } from '#engine/data-model/change-model'
import { wholeModel } from '#engine/data-model/access/member-model'
import type { DataModel } from '#engine/data-model/model'
import { MODEL_TABLE } from '#engine/data-model/tables'
import { callBody, callCommands, formulasOfClock, formulaTriggers, triggerCommands } from '#engine/formulas/formula-sql'

/** Runs the repairs in one transaction that locks the data model. */
const repair = (db: Database, workspaceId: string, commands: readonly string[]): Promise<void> =>
  changeWorkspaceModel(db, workspaceId, async ({ tx }) => {
    await allowTriggers(tx)
    await sendCommands(tx, commands)
  })

export const check = defineCommand({
  name: 'check',
  summary: 'Compares the tables of every workspace with its data model.',
  options: {
    repair: {
      kind: 'flag',
      description:
        'Creates what is missing. Surplus tables and columns may hold data, so they are left for you to remove.',
    },
  },
  async run({ options }, { db, print }) {
    const workspaces = await db.control
      .selectFrom('relata.workspaces')
      .select(['id', 'slug'])
      .orderBy('number')
      .execute()
    let remaining = 0
    for (const { id, slug } of workspaces) {
      const before = await differencesOf(db, id)
      for (const { message } of before) print(`${slug}: ${message}`)
      const commands = before.flatMap((difference) => difference.repair ?? [])
      if (options.repair && commands.length > 0) await repair(db, id, commands)
      const after = options.repair ? await differencesOf(db, id) : before
      remaining += after.length
      if (after.length < before.length) print(`${slug}: ${before.length - after.length} of these repaired.`)
    }
    for (const schema of await unknownSchemas(db)) {
      print(`The schema ${schema} belongs to no workspace.`)
      remaining += 1
    }
    print(remaining === 0 ? 'All tables are as they should be.' : `${remaining} differences remain.`)
    return remaining === 0 ? 0 : 1
  },
})

async function differencesOf(db: Database, workspaceId: string): Promise<Difference[]> {
  const model = await loadDataModel(db, workspaceId)
  const schema = `w_${model.workspace.number}`
  const actual = await readTables(db, schema)
  return [
    ...compareTables(schema, expectedTables(model), actual),
    ...(await compareFormulas(db, schema, model)),
    ...(await compareModelVersion(db, { schema, version: model.version }, actual)),
    ...(await compareAdvisorIndexes(db, workspaceId, schema, actual)),
  ]
}

async function unknownSchemas(db: Database): Promise<string[]> {
  const rows = await db.sql<{ name: string }[]>`
    select nspname as name from pg_namespace
    where nspname ~ '^w_[0-9]+$' and not exists (select from relata.all_workspaces w where nspname = 'w_' || w.number)
    order by nspname`
  return rows.map(({ name }) => name)
}

// Finds indexes of the index advisor that are ready in `relata.indexes` and missing in the database.

/** The repair lets the service build the index again. */
async function compareAdvisorIndexes(
  db: Database,
  workspaceId: string,
  schema: string,
  actual: readonly ActualTable[],
): Promise<Difference[]> {
  const ready = await db.control
    .selectFrom('relata.indexes')
    .select('name')
    .where(equal({ workspace_id: workspaceId, state: 'ready' }))
    .orderBy('name')
    .execute()
  const valid = new Set(
    actual.flatMap(({ indexes }) => indexes.filter(({ is_valid }) => is_valid).map(({ name }) => name)),
  )
  return ready
    .filter(({ name }) => !valid.has(name))
    .map(({ name }) => ({
      message: `index ${schema}.${name}, which queries asked for, is missing`,
      repair: [`update relata.indexes set state = 'wanted' where workspace_id = '${workspaceId}' and name = '${name}'`],
    }))
}

// Compares the triggers and functions that compute formulas with the data model.

const compareFormulas = async (db: Database, schema: string, model: DataModel): Promise<Difference[]> => [
  ...(await compareTriggers(db, schema, model)),
  ...(await compareFunctions(db, schema, model)),
]

/** The repair computes all rows. */
async function compareTriggers({ sql }: Database, schema: string, model: DataModel): Promise<Difference[]> {
  const triggers = await sql<{ name: string; body: string }[]>`
    select format('%I.%I %s', n.nspname, c.relname, t.tgname) as name, p.prosrc as body
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
    join pg_proc p on p.oid = t.tgfoid where n.nspname = ${schema} and not t.tgisinternal`
  const bodies = new Map(triggers.map(({ name, body }) => [name, body]))
  return wholeModel(model).entityTypes.flatMap((entityType) =>
    formulaTriggers(model, entityType).flatMap((trigger) => {
      const name = entityType.table.replaceAll('"', '')
      const body = bodies.get(`${name} ${trigger.name}`)
      if (trigger.body === undefined || body === trigger.body) return []
      const message = `the trigger ${trigger.name} of ${name} is ${body === undefined ? 'missing' : 'not as it should be'}`
      const compute = `update ${entityType.table} set version = version`
      return [{ message, repair: [...triggerCommands(model, entityType, trigger), compute] }]
    }),
  )
}

async function compareFunctions({ sql }: Database, schema: string, model: DataModel): Promise<Difference[]> {
  const functions = await sql<{ name: string; body: string }[]>`
    select format('%I.%I', n.nspname, p.proname) as name, p.prosrc as body
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = ${schema}`
  const bodies = new Map(functions.map(({ name, body }) => [name, body]))
  return wholeModel(model).entityTypes.flatMap((entityType) =>
    formulasOfClock(entityType).flatMap((attribute) => {
      const name = attribute.call?.name.replaceAll('"', '') ?? ''
      const body = bodies.get(name)
      if (body === callBody(model, entityType, attribute)) return []
      const message = `the function of a formula ${name} is ${body === undefined ? 'missing' : 'not as it should be'}`
      return [{ message, repair: callCommands(model, entityType, attribute) }]
    }),
  )
}

// Compares the model version in a workspace's schema with that of the control tables.

/** The repair changes the data model, which stores the version. It inserts the row to store it in. */
async function compareModelVersion(
  { sql }: Database,
  { schema, version }: { readonly schema: string; readonly version: number },
  actual: readonly ActualTable[],
): Promise<Difference[]> {
  const table = `"${schema}".${MODEL_TABLE.name}`
  const hasTable = actual.some(({ name }) => name === MODEL_TABLE.name)
  const rows = hasTable ? await sql.unsafe<{ version: number }[]>(`select version from ${table}`) : []
  if (rows.length === 1 && rows[0]?.version === version) return []
  const found = rows.map((row) => row.version).join(' and ') || 'missing'
  return [
    {
      message: `the model version of ${schema} is ${found} instead of ${version}`,
      repair: [`delete from ${table}`, `insert into ${table} (version) values (0)`],
    },
  ]
}
