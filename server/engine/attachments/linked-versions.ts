/**
 * Steps of a statement that raise the versions of the tasks and meetings that are linked to any of the records `$2`, because
 * their links are about to change. Until the transaction ends, no other one writes these, so a later statement sees all
 * their links.
 */
export const RAISE_VERSIONS_STEPS = `
  raised_tasks as (
    update relata.tasks set version = version + 1 where workspace_id = $1 and id in (
      select task_id from relata.task_links where workspace_id = $1 and record_id = any($2::uuid[])) returning 1
  ),
  raised_meetings as (
    update relata.meetings set version = version + 1 where workspace_id = $1 and id in (
      select meeting_id from relata.meeting_links where workspace_id = $1 and record_id = any($2::uuid[])) returning 1
  )`

/** The same as a statement. */
export const RAISE_VERSIONS_OF_LINKED = `with ${RAISE_VERSIONS_STEPS} select 1`
