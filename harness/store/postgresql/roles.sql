-- Roles for a store that a team shares. The owner of the schema runs this once, after the program made the tables,
-- and again after a newer program has changed them:
--
--   harness records list --store postgresql://OWNER@HOST/DATABASE
--   psql -v ON_ERROR_STOP=1 -f roles.sql postgresql://OWNER@HOST/DATABASE
--   psql -c 'GRANT harness_insert TO ci' postgresql://OWNER@HOST/DATABASE
--
-- harness_read     reads everything (Grafana)
-- harness_insert   also adds records and their results, until a record is complete; judges nothing (CI of branches)
-- harness_promote  also keeps verdicts and names, and removes records (CI of the default branch, maintainers). Elements of
--                  a campaign replace the results of a sick device, and `farm judge` those of a budget, with this role.
\set ON_ERROR_STOP on
BEGIN;
SET LOCAL search_path = harness;

SELECT format('CREATE ROLE %I NOLOGIN', name)
FROM unnest(ARRAY['harness_read', 'harness_insert', 'harness_promote']) AS name
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) \gexec
GRANT harness_read TO harness_insert;
GRANT harness_insert TO harness_promote;

GRANT USAGE ON SCHEMA harness TO harness_read;
GRANT SELECT ON ALL TABLES IN SCHEMA harness TO harness_read;
ALTER DEFAULT PRIVILEGES IN SCHEMA harness GRANT SELECT ON TABLES TO harness_read;

GRANT INSERT ON runs, cases, results, process_values, campaigns, tasks, elements, probes TO harness_insert;
GRANT UPDATE (suite, suite_hash, revision, branch, dirty, changes, partial, calibration, machine_class, device_uuid,
              started, finished, state, header) ON runs TO harness_insert;
GRANT UPDATE (measured, failures, digest) ON cases TO harness_insert;
GRANT UPDATE ON tasks, elements, probes TO harness_insert;
GRANT DELETE ON probes TO harness_insert;

GRANT UPDATE, DELETE ON runs, cases, results, process_values, campaigns, tasks, elements TO harness_promote;
GRANT INSERT, UPDATE, DELETE ON record_names TO harness_promote;

-- Who may only insert changes no complete record, and brings no verdict along.
CREATE OR REPLACE FUNCTION is_open(wanted TEXT) RETURNS BOOLEAN LANGUAGE sql STABLE
  AS $$ SELECT EXISTS (SELECT FROM harness.runs WHERE id = wanted AND state <> 'complete') $$;
ALTER TABLE runs ENABLE ROW LEVEL SECURITY;
ALTER TABLE cases ENABLE ROW LEVEL SECURITY;
ALTER TABLE results ENABLE ROW LEVEL SECURITY;
ALTER TABLE process_values ENABLE ROW LEVEL SECURITY;
SELECT format('DROP POLICY IF EXISTS %I ON %I', policyname, tablename) FROM pg_policies
WHERE schemaname = 'harness' \gexec
CREATE POLICY readers ON runs FOR SELECT TO harness_read USING (true);
CREATE POLICY readers ON cases FOR SELECT TO harness_read USING (true);
CREATE POLICY readers ON results FOR SELECT TO harness_read USING (true);
CREATE POLICY readers ON process_values FOR SELECT TO harness_read USING (true);
CREATE POLICY adders ON runs FOR INSERT TO harness_insert WITH CHECK (verdict = '' AND state <> 'complete');
CREATE POLICY finishers ON runs FOR UPDATE TO harness_insert USING (state <> 'complete') WITH CHECK (verdict = '');
CREATE POLICY adders ON cases FOR INSERT TO harness_insert WITH CHECK (verdict = '' AND waived = 0 AND is_open(run));
CREATE POLICY counters ON cases FOR UPDATE TO harness_insert USING (is_open(run)) WITH CHECK (verdict = '' AND waived = 0);
CREATE POLICY adders ON results FOR INSERT TO harness_insert WITH CHECK (is_open(run));
CREATE POLICY adders ON process_values FOR INSERT TO harness_insert WITH CHECK (is_open(run));
CREATE POLICY promoters ON runs TO harness_promote USING (true) WITH CHECK (true);
CREATE POLICY promoters ON cases TO harness_promote USING (true) WITH CHECK (true);
CREATE POLICY promoters ON results TO harness_promote USING (true) WITH CHECK (true);
CREATE POLICY promoters ON process_values TO harness_promote USING (true) WITH CHECK (true);
COMMIT;
