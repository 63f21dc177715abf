-- Computed attributes: their formulas, and the entity types whose rows are still to be computed. See docs/decisions/formulas.md.

-- {"formula": ["…", {"attribute": "<id>"}, …]}: the texts of the formula and the attributes that it names between them.
alter table relata.attributes add column computed jsonb;

-- `formula`: in columns that a trigger of the table fills.
alter table relata.attributes drop constraint attributes_stored_in_check;
alter table relata.attributes add constraint attributes_stored_in_check
  check (stored_in in ('columns', 'entity', 'partner', 'formula'));

-- Entity types with formulas that changed, whose rows are computed page by page, with the columns of every queue.
create table relata.formula_fills (
  workspace_id uuid not null,
  entity_type_id uuid not null,
  -- The last row that is computed.
  after uuid not null,
  -- When the next page is due, and while a process has the row, the end of its lease.
  due_at timestamptz,
  attempts int not null default 0,
  leased_by uuid,
  worker text,
  primary key (workspace_id, entity_type_id),
  foreign key (workspace_id, entity_type_id) references relata.entity_types on delete cascade
);

create index formula_fills_due on relata.formula_fills (due_at) where due_at is not null;
