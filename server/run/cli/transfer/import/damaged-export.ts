import { CommandError } from '#run/cli/command'

/** The folder is not what an export wrote. The message names the file, and the line if there is one. */
export class DamagedExport extends CommandError {
  constructor(
    readonly file: string,
    problem: string,
    readonly line?: number,
  ) {
    super(`${file}${line === undefined ? '' : `, line ${line}`}: ${problem}`)
  }
}

/** The message of an error of the file system, of PostgreSQL or of a check. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
