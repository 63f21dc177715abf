/** The command line for operators of the service: `bun relata <command>` */

import { runCommandLine } from './run'

process.exitCode = await runCommandLine(process.argv.slice(2), process.env, {
  print: (line) => console.log(line),
  printError: (line) => console.error(line),
})
