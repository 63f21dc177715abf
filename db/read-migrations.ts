/** Reads the files of `migrations/`. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROGRAM_FOLDER } from './program'

export interface Migration {
  readonly name: string
  readonly text: string
  /** Whether the migration changes the tables in the schemas of workspaces, and so runs in a transaction for each workspace. */
  readonly isOfWorkspaces?: boolean
}

const FOLDER = join(PROGRAM_FOLDER, 'db/migrations')

/** The migration that creates all tables: a folder with a file for each subject. */
export const BASE = '0170_base'

/** Reads the migrations of this version, in order. */
export function readMigrations(): Migration[] {
  const filesIn = (folder: string) =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.sql'))
      .sort()
  return [
    {
      name: BASE,
      text: filesIn(join(FOLDER, BASE))
        .map((file) => readFile(join(BASE, file)))
        .join('\n'),
    },
    ...filesIn(FOLDER).map((file) => ({
      name: file.replace(/(\.workspaces)?\.sql$/, ''),
      text: readFile(file),
      isOfWorkspaces: file.endsWith('.workspaces.sql'),
    })),
  ]
}

const readFile = (path: string): string => readFileSync(join(FOLDER, path), 'utf8')

/** The first sentence of the comment at the beginning of a migration: what it does. */
export function summaryOf({ text }: Migration): string {
  const [comment = ''] = /^(?:--.*\n)+/.exec(text) ?? []
  const [sentence = ''] =
    /^.*?(?:\.(?=\s)|$)/.exec(
      comment
        .replaceAll(/^--\s?/gm, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    ) ?? []
  return sentence
}
