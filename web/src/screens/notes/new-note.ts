/** The address of a note that is created when something is written. */
export const newNotePath = (object: string, recordId: string): string =>
  `/notes/new?${new URLSearchParams({ object, record: recordId })}`
