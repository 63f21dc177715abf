/** All commands of `bun relata`, in the order of the help. */

import { accountRemoveSecondFactor } from './account/remove-second-factor'
import { accountResetPassword } from './account/reset-password'
import { appCreate } from './app/create'
import { appDelete } from './app/delete'
import { appList } from './app/list'
import { calendarImport } from './calendar/import'
import { check } from './check/command'
import type { Command } from './command'
import { copyCommand } from './copy/command'
import { domainVerify } from './domain/verify'
import { exportCommand } from './transfer/export/command'
import { filesCheck } from './files/check'
import { importCommand } from './import/command'
import { interactionsRebuild } from './interactions/rebuild'
import { importWorkspaceCommand } from './transfer/import/command'
import { indexesDrop } from './indexes/drop'
import { indexesList } from './indexes/list'
import { indexesRebuild } from './indexes/rebuild'
import { indexesWant } from './indexes/want'
import { installationCopy, installationMove, installationShow } from './installation'
import { keyCreate } from './key/create'
import { keyList } from './key/list'
import { keyRevoke } from './key/revoke'
import { mailImport } from './mail/import'
import { migrateCommand } from './migrate'
import { objectSet } from './object/set'
import { types } from './types/command'
import { webhooksForward } from './forward/command'
import { workspaceList } from './workspace/list'
import { workspaceMove } from './workspace/move'
import { workspaceSet } from './workspace/set'

export const COMMANDS: readonly Command[] = [
  keyCreate,
  keyList,
  keyRevoke,
  appCreate,
  appList,
  appDelete,
  accountResetPassword,
  accountRemoveSecondFactor,
  domainVerify,
  workspaceList,
  workspaceSet,
  workspaceMove,
  exportCommand,
  importWorkspaceCommand,
  objectSet,
  importCommand,
  copyCommand,
  mailImport,
  calendarImport,
  interactionsRebuild,
  webhooksForward,
  types,
  indexesList,
  indexesWant,
  indexesDrop,
  indexesRebuild,
  installationShow,
  installationMove,
  installationCopy,
  check,
  filesCheck,
  migrateCommand,
]
