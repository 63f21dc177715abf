/** All commands of `bun relata`, in the order of the help. */

import { accountRemoveSecondFactor, accountResetPassword, personErase, personExport } from './person/person'
import { appCreate, appDelete, appList } from './app/app'
import { backupCommand, backupsCommand, restoreCommand } from './backup'
import { calendarImport, mailImport } from './file-imports/file-imports'
import { check } from './check/command'
import type { Command } from './command'
import { copyCommand } from './copy/command'
import { domainVerify, interactionsRebuild, objectSet } from './workspace/parts'
import { exportCommand } from './transfer/export/export-workspace'
import { filesCheck, filesRotateSecret } from './files/files'
import { importCommand } from './import/command'
import { importWorkspaceCommand } from './transfer/import/import-workspace'
import { indexesDrop, indexesList, indexesRebuild, indexesWant } from './indexes/indexes'
import {
  installationCopy,
  installationMove,
  installationShow,
  migrateCommand,
  secretsReset,
  secretsRotate,
} from './installation'
import { keyCreate, keyList, keyRevoke } from './key/key'
import { types } from './types/command'
import { upgradeCommand } from './upgrade/upgrade-cluster'
import { webhooksForward } from './forward/command'
import {
  workspaceCreate,
  workspaceDelete,
  workspaceList,
  workspaceMove,
  workspaceRestore,
  workspaceSet,
} from './workspace/workspace'
import { workspaceMoveTo } from './workspace/move-to'

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
  workspaceCreate,
  workspaceDelete,
  workspaceRestore,
  workspaceSet,
  workspaceMove,
  workspaceMoveTo,
  backupCommand,
  backupsCommand,
  restoreCommand,
  exportCommand,
  importWorkspaceCommand,
  personExport,
  personErase,
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
  secretsRotate,
  secretsReset,
  check,
  filesCheck,
  filesRotateSecret,
  migrateCommand,
  upgradeCommand,
]
