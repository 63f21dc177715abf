/** Commands about the key that encrypts secrets in the database. See docs/running.md (The secret key). */

import { encryptPlainSecrets, forgetSecrets, rotateSecrets } from '#db/encrypted-columns'
import { addKeyToFile, keepOneKey } from '#db/secret-keys'
import { CommandError, defineConfiguredCommand } from './command'

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
