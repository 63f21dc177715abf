/**
 * Commands for the operator of the database: when it may be a copy (docs/scaling.md, Moves and copies), its migration, and the key that
 * encrypts its secrets (docs/running.md, The secret key).
 */
import { COMMAND_LINE } from '#access/audit-log/audit'
import { decide, type Decision, describeHold, readInstallation } from '#access/installation/hold'
import { encryptPlainSecrets, forgetSecrets, rotateSecrets } from '#db/encrypted-columns'
import { addKeyToFile, keepOneKey } from '#db/secret-keys'
import { CommandError, defineCommand, defineConfiguredCommand, type LocalCommand } from './command'

export const installationShow = defineCommand({
  name: 'installation show',
  summary: 'Shows which address the database serves, and whether webhooks and emails are held.',
  options: {},
  async run(_, { db, print }) {
    const installation = await readInstallation(db.sql)
    if (installation === undefined) throw new CommandError('No service has been started on this database yet.')
    print(describeHold(installation))
  },
})

export const installationMove = decisionCommand('move', {
  summary: 'Ends the hold: the database was moved. Everything that waits is sent.',
  done: 'Webhooks, emails and fetches of videos go on.',
})

export const installationCopy = decisionCommand('copy', {
  summary: 'Ends the hold: the database is a copy. What waits is dropped, and all webhooks become inactive.',
  done: 'What waited is dropped, and all webhooks are inactive. Update a webhook to activate it.',
})

function decisionCommand(decision: Decision, { summary, done }: { summary: string; done: string }): LocalCommand {
  return defineCommand({
    name: `installation ${decision}`,
    summary,
    options: {},
    async run(_, { db, now, print }) {
      if (!(await decide(db, decision, COMMAND_LINE, now()))) throw new CommandError('Nothing is held.')
      print(done)
      return 0
    },
  })
}

export const migrateCommand = defineCommand({
  name: 'migrate',
  summary: 'Migrates the database, as every start of the service does.',
  options: {},
  async run(_, { db, print }) {
    // Opening the database has run the migrations already.
    const last = await db.control
      .selectFrom('relata.migrations')
      .select('name')
      .orderBy('name', 'desc')
      .limit(1)
      .executeTakeFirst()
    print(`The database is up to date, at ${last?.name ?? 'no migration'}.`)
  },
})

export const secretsRotate = defineConfiguredCommand({
  name: 'secrets rotate',
  tables: 'migrated',
  summary: 'Encrypts all secrets with a new key, while the service runs.',
  options: {},
  async runConfigured(_, { db, secretKeys, print }) {
    const { file } = secretKeys
    // The file has two keys when an earlier rotation was interrupted.
    if (file !== undefined && secretKeys.list().length < 2) addKeyToFile(file)
    const { id, rows } = await rotateSecrets(db, secretKeys)
    print(`The secrets of ${rows} rows are encrypted with the key ${id}.`)
    if (file === undefined) {
      print(
        'Set RELATA_SECRET_KEY to this key alone, and restart the service. Keep the old key as long as backups need it.',
      )
      return 0
    }
    for (const path of keepOneKey(file, id))
      print(`The old key is in ${path}. Backups from before need it; delete it when you need none of them.`)
    return 0
  },
})

export const secretsReset = defineConfiguredCommand({
  name: 'secrets reset',
  tables: 'as it is',
  summary: 'Gives up the secrets whose key is lost, and begins with another key.',
  options: {
    'give-up': { kind: 'flag', description: 'Required: the secrets cannot be restored afterwards.' },
  },
  async runConfigured({ options }, { db, secretKeys, print }) {
    if (!options['give-up']) {
      throw new CommandError(
        'Webhooks get new secrets and become inactive, authenticator apps are removed, and client secrets of sign-in providers and passwords of connected accounts have to be entered again. Stop the service, and run the command with --give-up.',
      )
    }
    await forgetSecrets(db)
    await encryptPlainSecrets(db, secretKeys)
    print(
      'Webhooks have new secrets and are inactive: rotate the secret of each and update it. Authenticator apps are removed.',
    )
    print(
      'Enter the client secrets of sign-in providers again, in the settings of their workspaces. Members enter the passwords of their connected accounts again.',
    )
  },
})
