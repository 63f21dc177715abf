/** Locks the tasks that are linked to records. */

/**
 * Raises the versions of the tasks of the workspace `$1` that are linked to any of the records `$2`, because their links are
 * about to change. Until the transaction ends, no other one writes these tasks, so a later statement sees all their links.
 */
export const RAISE_VERSIONS_OF_LINKED_TASKS = `
  update relata.tasks set version = version + 1 where workspace_id = $1 and id in (
    select task_id from relata.task_links where workspace_id = $1 and record_id = any($2::uuid[]))`
