/** The texts of `--help`, from the declarations of the commands. */

import type { Command } from './command'

export function overview(commands: readonly Command[]): string {
  const rows = commands.map((command) => [command.name, command.summary] as const)
  return [
    'Usage: bun relata <command>',
    '',
    ...columns(rows),
    '',
    'Run a command with --help for its options. Commands use the database of the running service, or start the embedded',
    'one while they run. They read the same environment variables as the service.',
  ].join('\n')
}

export function explain({ name, summary, options, positionals = [] }: Command): string {
  const rows = Object.entries(options).map(
    ([option, { value, description }]) =>
      [value === undefined ? `--${option}` : `--${option} ${value}`, description] as const,
  )
  const usage = Object.entries(options).map(([option, { kind, value, isRequired }]) => {
    const word = value === undefined ? `--${option}` : `--${option} ${value}`
    return `${isRequired ? word : `[${word}]`}${kind === 'texts' ? '...' : ''}`
  })
  return [`Usage: bun relata ${[name, ...positionals, ...usage].join(' ')}`, '', summary, '', ...columns(rows)]
    .join('\n')
    .trimEnd()
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}
