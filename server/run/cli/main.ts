/** The command line for operators of the service: `bun relata <command>` */

import { importInstalled } from '#run/startup/installed-packages'

const { runCommandLine } = await importInstalled(() => import('./run'))

process.exitCode = await runCommandLine(process.argv.slice(2), process.env, {
  print: (line) => console.log(line),
  printError: (line) => console.error(line),
})
