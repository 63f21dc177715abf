/** The program itself: where its files are, its version, and what its commands are called. */

import { join } from 'node:path'
import { version } from '../package.json'

/** The build of an executable defines it as the commit that it was built from. */
declare const RELATA_COMMIT: string | undefined

/** The root of the repository; in an executable, the root of the files inside of it, which have the same paths. */
export const PROGRAM_FOLDER = Bun.isStandaloneExecutable ? import.meta.dir : join(import.meta.dir, '..')

export const VERSION = version

/** Undefined unless the program was built from a clone of the repository. */
export const COMMIT: string | undefined = typeof RELATA_COMMIT === 'undefined' ? undefined : RELATA_COMMIT

/** For people: the version, and the commit in short form where it is known. */
export const VERSION_TEXT = COMMIT === undefined ? VERSION : `${VERSION} (${COMMIT.slice(0, 10)})`

/** How an operator calls the commands. */
export const COMMAND = Bun.isStandaloneExecutable ? 'relata' : 'bun relata'
