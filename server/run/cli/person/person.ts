/** Commands about what a workspace stores of a person (docs/privacy.md), and for accounts whose owners cannot sign in. */
import { mkdir, open, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { findAccountByEmail } from '#access/accounts/accounts'
import { createPasswordReset } from '#access/accounts/passwords'
import { auditAccount, COMMAND_LINE } from '#access/audit-log/audit'
import { deleteFactors, lockAccount } from '#access/second-factor/factors'
import { deletePendingSignIns } from '#access/second-factor/pending-sign-ins'
import { endSessions } from '#access/sessions/sessions'
import { erasePerson, type ErasureReport, previewErasure } from '#api/erasure/erase-person'
import { type AddFile, exportPerson } from '#api/personal-data/export-person'
import { ApiError } from '#base/errors/api-error'
import { errorCodeOf } from '#base/logging/log-error'
import { resetUrl } from '#crm/email/account-emails'
import { CommandError, defineCommand, getNamedWorkspace, UsageError, WORKSPACE_OPTION } from '#run/cli/command'

export const personExport = defineCommand({
  name: 'person export',
  summary:
    'Writes what a workspace stores of a person to a folder: records, history, texts that name the person, files.',
  positionals: ['<email>'],
  options: {
    to: { kind: 'text', value: '<folder>', description: 'The folder, which is new or empty.', isRequired: true },
    workspace: WORKSPACE_OPTION,
  },
  async run({ options: { to, workspace }, positionals: [address = ''] }, { db, blobs, now, baseUrl, print }) {
    const { id: workspaceId, slug } = await getNamedWorkspace(db, workspace)
    await makeFolder(to)
    const given = { db, blobs, now, workspaceId, address, appUrl: baseUrl, auditActor: COMMAND_LINE, isOperator: true }
    const files = await asCommand(() => exportPerson(given, writeTo(to)), to)
    for (const { name, lines } of files) print(`${name}: ${lines}`)
    print(`Exported from the workspace ${slug} to ${to}.`)
  },
})

export const personErase = defineCommand({
  name: 'person erase',
  summary: 'Shows what an erasure of a person would remove from a workspace, and with --yes removes it for good.',
  positionals: ['<email>'],
  options: {
    yes: { kind: 'flag', description: 'Erases. Without it, nothing is changed.' },
    'dry-run': { kind: 'flag', description: 'Only shows what would be removed. This is the default.' },
    workspace: WORKSPACE_OPTION,
  },
  async run({ options, positionals: [address = ''] }, { db, now, backups, print }) {
    if (options.yes && options['dry-run']) throw new UsageError('--yes and --dry-run exclude each other.')
    const { id: workspaceId, slug } = await getNamedWorkspace(db, options.workspace)
    const given = { db, now, backups, workspaceId, address, auditActor: COMMAND_LINE }
    const report = await asCommand(() => (options.yes ? erasePerson(given) : previewErasure(given)))
    printReport(report, print)
    if (report.running_imports > 0) print('Repeat the command when the imports have ended.')
    print(
      options.yes
        ? `Erased from the workspace ${slug}.`
        : `Nothing was changed. --yes erases from the workspace ${slug}.`,
    )
    return report.running_imports > 0 && options.yes ? 1 : 0
  },
})

function printReport(report: ErasureReport, print: (line: string) => void): void {
  print(`Addresses: ${report.addresses.join(', ')}`)
  if (report.names.length > 0) print(`Names: ${report.names.join(', ')}`)
  if (report.shared_names.length > 0) print(`Kept, because others have these names: ${report.shared_names.join(', ')}`)
  print(`Records of people: ${report.records}, in the trash: ${report.trashed_records}`)
  if (report.is_member) print('The suspended member keeps a row without name and address.')
  for (const { table, rows } of report.rows) print(`${table}: ${rows}`)
  if (report.running_imports > 0) print(`Kept: ${report.running_imports} files of imports that run or wait.`)
  print(
    'Kept: the content of files that are attached to other records, and what receivers of webhooks and emails have.',
  )
  print(
    report.backups_end_at === null
      ? 'Backups from before the erasure have the person. The settings schedule none, so none is removed by itself.'
      : `Scheduled backups that have the person are removed on ${report.backups_end_at.slice(0, 10)} at the latest, if backups succeed until then.`,
  )
}

/** The messages of API errors are sentences for people. A folder that cannot be written is named. */
async function asCommand<T>(work: () => Promise<T>, folder?: string): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ApiError) throw new CommandError(error.message)
    const code = errorCodeOf(error)
    if (folder !== undefined && code !== undefined && /^E[A-Z]+$/.test(code))
      throw new CommandError(`The export did not end: the folder ${folder} cannot be written: ${code}. Delete it.`)
    throw error
  }
}

/** Only the operator may read what the folder contains. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    if ((await readdir(folder)).length === 0) return
  } catch (error) {
    throw new CommandError(`The folder ${folder} cannot be written: ${errorCodeOf(error) ?? String(error)}.`)
  }
  throw new CommandError(`The folder ${folder} is not empty.`)
}

const writeTo =
  (folder: string): AddFile =>
  async (name, chunks) => {
    const path = join(folder, name)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const file = await open(path, 'wx', 0o600)
    try {
      for await (const chunk of chunks) await file.writeFile(chunk)
      await file.sync()
    } finally {
      await file.close()
    }
  }

/** For people without working email. Prints the link alone on the last line. */
export const accountResetPassword = defineCommand({
  name: 'account reset-password',
  summary: 'Shows a link with which a person sets a new password, once and within an hour.',
  positionals: ['<email>'],
  options: {},
  async run({ positionals: [email = ''] }, { db, now, baseUrl, print }) {
    const accountId = await findAccountByEmail(db, email)
    if (accountId === undefined) throw new CommandError(`There is no account with the address "${email}".`)
    const token = await createPasswordReset(db.sql, accountId, now())
    print(`Send this link to ${email}:`)
    print(resetUrl({ appUrl: baseUrl }, token))
  },
})

/** For a person who lost the second factor and the recovery codes. Their password still works. */
export const accountRemoveSecondFactor = defineCommand({
  name: 'account remove-second-factor',
  summary: 'Removes the passkeys, the authenticator app and the recovery codes of a person, and signs them out.',
  positionals: ['<email>'],
  options: {},
  async run({ positionals: [email = ''] }, { db, now, print }) {
    const accountId = await findAccountByEmail(db, email)
    if (accountId === undefined) throw new CommandError(`There is no account with the address "${email}".`)
    await db.sql.begin(async (tx) => {
      await lockAccount(tx, accountId)
      await deleteFactors(tx, accountId)
      await deletePendingSignIns(tx, accountId)
      await endSessions(tx, { accountId, workspaceId: null })
      const details = { second_factor: 'all', removed_by: 'command-line' }
      const entry = { emailAddress: email, action: 'second-factor.removed', isOwner: false, address: null } as const
      await auditAccount(tx, { ...entry, details, now: now() })
    })
    print(`${email} has no second factor and is signed out.`)
  },
})
