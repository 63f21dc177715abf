-- Formulas that read the clock: statements compute their values with a function of the workspace's schema. See docs/decisions/formulas.md.

-- `worker`: in columns that a worker fills. `function`: computed when it is read.
alter table relata.attributes drop constraint attributes_stored_in_check;
alter table relata.attributes add constraint attributes_stored_in_check
  check (stored_in in ('columns', 'entity', 'partner', 'formula', 'function', 'worker'));
