/** The program of an executable: without arguments it is the service, with arguments a command. */

import { argv } from 'node:process'

await (argv.length > 2 ? import('./run/cli/main') : import('./main'))
