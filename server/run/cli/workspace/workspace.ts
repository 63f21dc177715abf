import { COMMAND } from '#db/program'
import {
  type DeletedWorkspace,
  deleteWorkspace,
  listDeletedWorkspaces,
  restoreWorkspace,
} from '#api/workspace-deletion/deletion'
import { removeNow } from '#api/workspace-deletion/removal'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import type { Database } from '#db/connect'
import { createAccountWithoutPassword, findAccountByEmail } from '#access/accounts/accounts'
import { audit, COMMAND_LINE } from '#access/audit-log/audit'
import { createMember } from '#access/members/members'
import { runInTransaction } from '#db/run-in-transaction'
import { lockName } from '#engine/data-model/kysely-in-transaction'
import { workspaceSchemaName } from '#engine/data-model/names'
import { createWorkspace } from '#engine/workspaces/create-workspace'
import {
  CommandError,
  defineCommand,
  getNamedWorkspace,
  listWorkspaces,
  printTable,
  UsageError,
  WORKSPACE_OPTION,
} from '#run/cli/command'
import { hasCitus, moveSchema } from '#db/citus'
import { changeWorkspaceModel } from '#engine/data-model/change-model'

export const workspaceList = defineCommand({
  name: 'workspace list',
  summary: 'Lists the workspaces and their settings.',
  options: {},
  async run(_, { db, print }) {
    const workspaces = await listWorkspaces(db)
    const rows = workspaces.map(({ number, slug, name, shows_updated_at, creates_contacts }) => [
      slug,
      name,
      shows_updated_at ? 'on' : 'off',
      creates_contacts ? 'on' : 'off',
      workspaceSchemaName(number),
    ])
    printTable(print, ['slug', 'name', 'shows updated_at', 'creates contacts', 'schema'], rows)
    const deleted = await listDeletedWorkspaces(db.sql)
    for (const { slug, name, removedAt, isBeingRemoved, movedTo } of deleted) {
      const state = isBeingRemoved ? 'is being removed' : `is removed on ${dayOf(removedAt)}`
      print(`${movedTo === null ? 'Deleted' : `Moved to ${movedTo}`}: ${slug}, ${name}; it ${state}.`)
    }
  },
})

const dayOf = (at: Micros): string => timestampFromMicros(at).slice(0, 10)

export const workspaceDelete = defineCommand({
  name: 'workspace delete',
  summary: 'Deletes a workspace, which can be restored for thirty days.',
  positionals: ['<slug>'],
  options: {
    permanent: {
      kind: 'flag',
      description: 'Removes it now and for good, with its files, also when it is deleted already.',
    },
  },
  async run({ options, positionals: [given = ''] }, { db, now, blobs, print }) {
    const deleted = await findDeletedWorkspace(db, given)
    if (deleted !== undefined && !options.permanent)
      throw new CommandError(`The workspace ${given} is deleted already; see ${COMMAND} workspace list.`)
    const { id, slug } = deleted ?? (await getNamedWorkspace(db, given))
    if (deleted === undefined) {
      const removedAt = await deleteWorkspace(db, id, { ...COMMAND_LINE, now: now() })
      print(`Deleted the workspace ${slug}.`)
      if (!options.permanent) print(`Until ${dayOf(removedAt)}: ${COMMAND} workspace restore ${slug}`)
    }
    if (!options.permanent) return 0
    if (!(await removeNow({ db, now, blobs }, id)))
      throw new CommandError('A running service removes the workspace, or the sending is held: see installation show.')
    print(`Removed the workspace ${slug} for good.`)
    return 0
  },
})

export const workspaceRestore = defineCommand({
  name: 'workspace restore',
  summary: 'Restores a deleted workspace.',
  positionals: ['<slug>'],
  options: {},
  async run({ positionals: [given = ''] }, { db, now, print }) {
    const workspace = await findDeletedWorkspace(db, given)
    if (workspace === undefined) throw new CommandError(`There is no deleted workspace "${given}".`)
    if (workspace.isBeingRemoved) throw new CommandError(`The workspace ${given} is being removed.`)
    if (workspace.movedTo !== null)
      throw new CommandError(`The workspace ${given} has moved to ${workspace.movedTo}, and may have changed there.`)
    await restoreWorkspace(db, workspace.id, { ...COMMAND_LINE, now: now() })
    print(`Restored the workspace ${workspace.slug}.`)
  },
})

const findDeletedWorkspace = async ({ sql }: Database, slug: string): Promise<DeletedWorkspace | undefined> =>
  (await listDeletedWorkspaces(sql)).find((workspace) => workspace.slug === slug)

const MAX_LENGTH = { slug: 60, name: 255 }
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

export const workspaceCreate = defineCommand({
  name: 'workspace create',
  summary: 'Creates a workspace with its administrator.',
  positionals: ['<slug>'],
  options: {
    name: { kind: 'text', value: '<name>', description: 'The name.', isRequired: true },
    admin: {
      kind: 'text',
      value: '<email>',
      description: 'The administrator. Without an account there, one is created: see account reset-password.',
      isRequired: true,
    },
  },
  async run({ options, positionals: [slug = ''] }, { db, now, print }) {
    const name = options.name.trim()
    const email_address = options.admin.trim().toLowerCase()
    if (!SLUG.test(slug) || slug.length > MAX_LENGTH.slug)
      throw new UsageError(`A slug has lower-case letters, digits and hyphens, not "${slug.slice(0, 100)}".`)
    if (name === '' || name.length > MAX_LENGTH.name) throw new UsageError('--name has 1 to 255 characters.')
    if (!/^[^\s@]+@[^\s@]+$/.test(email_address) || email_address.length > 320)
      throw new UsageError('--admin is an email address.')
    const isNewAccount = await runInTransaction(db, ({ tx, undoable }) =>
      undoable(async (inside) => {
        await lockName(tx, 'relata workspace create')
        await refuseTakenSlug(inside, slug)
        const { id } = await createWorkspace(inside, { name, slug, now: now() })
        const existing = await findAccountByEmail(inside, email_address)
        const account_id = existing ?? (await createAccountWithoutPassword(inside, email_address, now())).id
        const person = { first_name: 'Admin', last_name: '', email_address, access_level: 'admin', account_id } as const
        await createMember(inside, id, person, now())
        const subject = { type: 'workspace', id, name }
        const entry = { ...COMMAND_LINE, workspaceId: id, action: 'workspace.created', subject } as const
        await audit(inside.sql, { ...entry, details: { slug, admin: email_address }, now: now() })
        return existing === undefined
      }),
    )
    print(`Created the workspace ${slug}; its administrator is ${email_address}.`)
    if (isNewAccount) print(`The account has no password: ${COMMAND} account reset-password ${email_address}`)
    return 0
  },
})

/** A deleted workspace keeps its slug, so that its restoration changes no address. */
async function refuseTakenSlug({ control }: Database, slug: string): Promise<void> {
  const taken = await control
    .selectFrom('relata.all_workspaces')
    .select('deleted_at')
    .where('slug', '=', slug)
    .executeTakeFirst()
  if (taken === undefined) return
  if (taken.deleted_at === null) throw new CommandError(`There is a workspace "${slug}" already.`)
  throw new CommandError(
    `A deleted workspace has the slug "${slug}"; to remove it for good: ${COMMAND} workspace delete ${slug} --permanent`,
  )
}

export const workspaceMove = defineCommand({
  name: 'workspace move',
  summary: 'Moves the tables of a workspace to another node of a Citus cluster, while they are in use.',
  positionals: ['<slug>'],
  options: {
    node: {
      kind: 'text',
      value: '<host:port>',
      description: 'The node, as the cluster knows it: see select * from pg_dist_node.',
      isRequired: true,
    },
  },
  async run({ options, positionals: [given] }, { db, print }) {
    const node = readNode(options.node)
    const { number, slug } = await getNamedWorkspace(db, given)
    if (!(await hasCitus(db.sql))) throw new CommandError('The database lacks the extension citus 12.1 or newer.')
    await moveSchema(db.sql, workspaceSchemaName(number), node).catch((error: Error) => {
      throw new CommandError(`Citus did not move the workspace: ${error.message}`)
    })
    print(`The tables of ${slug} are on ${options.node}.`)
  },
})

const MAX_NODE_LENGTH = 300
const NODE = /^(?:\[([0-9a-f:.]+)\]|([^:[\]\s]+)):(\d{1,5})$/i

function readNode(text: string): { host: string; port: number } {
  const [, address, name, digits] = (text.length <= MAX_NODE_LENGTH && NODE.exec(text)) || []
  const host = address ?? name
  const port = Number(digits)
  if (host === undefined || port === 0 || port > 65_535)
    throw new UsageError(`--node is a host and a port, such as worker-2:5432, not "${text.slice(0, MAX_NODE_LENGTH)}".`)
  return { host, port }
}

const ON_OR_OFF = { kind: 'text', value: 'on|off' } as const

export const workspaceSet = defineCommand({
  name: 'workspace set',
  summary: 'Changes the settings of a workspace. Running services apply them immediately.',
  options: {
    'shows-updated-at': { ...ON_OR_OFF, description: 'Whether values include updated_at and updated_by.' },
    'creates-contacts': {
      ...ON_OR_OFF,
      description: 'Whether participants of meetings become people, and email domains companies.',
    },
    workspace: WORKSPACE_OPTION,
  },
  async run({ options }, { db, print }) {
    const updatedAt = isOn('shows-updated-at', options['shows-updated-at'])
    const contacts = isOn('creates-contacts', options['creates-contacts'])
    if (updatedAt === undefined && contacts === undefined)
      throw new UsageError('Give --shows-updated-at or --creates-contacts.')
    const { id, slug } = await getNamedWorkspace(db, options.workspace)
    await changeWorkspaceModel(db, id, async ({ control, model: { workspace } }) => {
      const { shows_updated_at, creates_contacts } = workspace
      const state = {
        shows_updated_at: updatedAt ?? shows_updated_at,
        creates_contacts: contacts ?? creates_contacts,
      }
      await control.updateTable('relata.workspaces').set(state).where('id', '=', id).execute()
    })
    if (updatedAt !== undefined) print(`The workspace ${slug} ${updatedAt ? 'shows' : 'does not show'} updated_at.`)
    if (contacts !== undefined) print(`The workspace ${slug} ${contacts ? 'creates' : 'does not create'} contacts.`)
  },
})

/** Undefined for an option that was not given. */
function isOn(option: string, word: string | undefined): boolean | undefined {
  if (word === undefined) return undefined
  if (word !== 'on' && word !== 'off') throw new UsageError(`--${option} is on or off, not "${word}".`)
  return word === 'on'
}
