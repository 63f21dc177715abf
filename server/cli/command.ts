/** What a command of `bun relata` is. One file per command declares one of these; `commands.ts` collects them. */

import type { Database } from '../../db/connect'
import type { Clock } from '../time'

export interface CommandOption {
  /** `flag` stands alone, `text` takes what follows it, and `texts` does so as often as it is given. */
  readonly kind: 'flag' | 'text' | 'texts'
  /** How help names what follows, e.g. `<name>`. */
  readonly value?: string
  readonly means: string
  readonly isRequired?: boolean
}

export type Options = Readonly<Record<string, CommandOption>>

/** Flags are true or false, a text is the text or undefined, texts are all that were given, in their order. */
export type OptionValues<O extends Options> = {
  readonly [Name in keyof O]: O[Name]['kind'] extends 'flag'
    ? boolean
    : O[Name]['kind'] extends 'texts'
      ? readonly string[]
      : O[Name]['isRequired'] extends true
        ? string
        : string | undefined
}

export interface Surroundings {
  readonly db: Database
  readonly now: Clock
  /** Where people reach the service, without a trailing slash. */
  readonly baseUrl: string
  /** A line for the person who called. */
  print(line: string): void
}

export interface Command<O extends Options = Options> {
  /** The words it is called by, e.g. `key create`. */
  readonly name: string
  readonly summary: string
  /** Names of what must follow without a dash, e.g. `<id>`. */
  readonly positionals?: readonly string[]
  readonly options: O
  /** Gives the exit code: 0 for done, 1 for not. */
  run(given: { options: OptionValues<O>; positionals: readonly string[] }, surroundings: Surroundings): Promise<number>
}

/** Ties the values a command is given to the options it declares. */
export const defineCommand = <const O extends Options>(command: Command<O>): Command => command as unknown as Command // `readOptions` makes values for exactly the options a command declares

/** The command was called wrongly; the message says how to call it rightly. */
export class UsageProblem extends Error {}

/** The command cannot do what was asked; the message says why. */
export class CommandProblem extends Error {}
