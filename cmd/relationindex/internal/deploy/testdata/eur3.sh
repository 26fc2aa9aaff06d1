#!/usr/bin/env bash
# Deployment relationindex, project p, database (default)
#   functions  6 in europe-west1: relationindex-on-follower-written, relationindex-on-post-written, relationindex-on-job-written, relationindex-on-user-deleted, relationindex-on-block-written, relationindex-sweep
#   accounts   3 service accounts: relationindex-functions, relationindex-triggers, relationindex-build
#   alerts     16, shown in the console only, without --notify
#   rules      standard, if the database has none
#   time       6 builds, about 20 minutes the first time, and up to 20 more while Google spreads new roles; later, what has changed
#   idle       no instance runs. 0.16 USD a month: a job of the scheduler, and a secret. Sweep's 43,200 calls a month are within Cloud Run's free tier, if the project has nothing else
#              alerts are free until September 2027; then the 20 metrics that they read cost 7.00 USD a month, and 0.50 USD a million points
#
# It may be run again, also after an interruption. Before, the program checks:
# * FIRESTORE_EMULATOR_HOST and FIREBASE_AUTH_EMULATOR_HOST are not set
# * every RELATIONINDEX_ variable is within its rule, and firestore.indexes.json has what they need
# * the rules have a match /NAME/ for each collection that a variable renames, and the default name in no path
# * --region is --location, or one of its regions
# * gcloud runs
# * gcloud has its beta component, and alpha, whose commands for alert policies newer releases have without it
# * firebase-tools runs: on PATH, or in web/node_modules, or by npx
# * at most 2 MiB are uploaded for a function
# * gcloud is signed in
# * the project is active
# * the APIs are enabled
# * europe-west1 offers go126
# * europe-west1 has Cloud Scheduler, which calls Sweep
# * the quota of CPU of Cloud Run in the region is at least 20, the instances of relationindex-on-job-written
# * the database is of native mode, in eur3
# * no other deployment has triggers on the database
# * no function of this deployment is in another region
# * the database has the indexes and overrides of firestore.indexes.json, which are then not written; or it has no others
# * the functions run with the variables of this shell and relationindex.env, except the variables in --differ
# * the database's rules have what stands between the marks of ours, which are then not written; or the database lets no client in, and has no users and posts
set -euo pipefail
PROJECT=p
REGION=europe-west1
MARK=relationindex
SECRET=relationindex-tombstone-key-default
FIREBASE_TOOLS=firebase-tools@15.34.2
grep -q '^module example.com/relationindex$' go.mod || { echo "run this in the directory of relationindex" >&2; exit 2; }
PATH=$PATH:$PWD/web/node_modules/.bin
WORK=$(dirname "$0")
# What the program finds out before: write, or keep what is there.
INDEXES=${INDEXES:?write, or keep if the database has all indexes of $WORK/firestore.indexes.json}
RULES=${RULES:?write to replace all rules of the database by $WORK/firestore.rules, or keep}
case $INDEXES-$RULES in write-write | write-keep | keep-write | keep-keep) ;; *) echo "INDEXES and RULES must be write or keep" >&2; exit 2 ;; esac
SOURCE=$(cat "$WORK/source")
DEPLOYED=$(date -u +%Y-%m-%dT%H:%M:%SZ)
# The five functions of the script: ensure, gone, bind, watch and wait.
#
# The script runs main twice. The first pass counts the steps, and stops if something with one of our names was not made by this
# deployment. It changes nothing. The second pass looks again, and makes what is missing, in order. So the script may be run again
# at any time: it skips what is done, and goes on where it stopped.
: "${PROJECT:?}" "${REGION:?}" "${MARK:?}"
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
trap 'exit 130' INT TERM HUP
set +o noclobber
PASS='look' ALL=0 AT=0 REMOVED=0 TAKEN='' number=''

gcloud() { command gcloud "$@" --project="$PROJECT" --quiet; }
firebase() {
  if type -P firebase >/dev/null; then command firebase "$@" --project="$PROJECT" --non-interactive
  else npx --yes "$FIREBASE_TOOLS" "$@" --project="$PROJECT" --non-interactive; fi
}
# The commands for alert policies are in alpha alone in older releases of gcloud.
policies() {
  if [ ! -e "$here/released" ]; then
    if command gcloud monitoring policies list --help >/dev/null 2>&1; then echo yes; else echo no; fi >"$here/released"
  fi
  if [ "$(cat "$here/released")" = yes ]; then gcloud monitoring policies "$@"; else gcloud alpha monitoring policies "$@"; fi
}
dashboards() { gcloud monitoring dashboards "$@"; }

# list KIND prints what there is of a kind: a line each, with its name and its state. Labels or a description say whose it is.
list() {
  local mark="relationindex~\"^${MARK}\$\"" name='name.basename()'
  case $1 in
  account) gcloud iam service-accounts list --format='value[separator=" "](email,description)' ;;
  agent) gcloud projects get-iam-policy "$PROJECT" --flatten='bindings[].members' --format='value(bindings.members)' |
    sed -n "s/.*service-${number}@gcp-sa-pubsub[.].*/pubsub.googleapis.com/p; s/.*service-${number}@gcf-admin-robot[.].*/cloudfunctions.googleapis.com/p" ;;
  role) gcloud iam roles list --format="value[separator=\" \"]($name,description)" ;;
  secret) gcloud secrets list --format="value($name)" ;;
  version) gcloud secrets versions list "$SECRET" --format="value($name)" ;;
  function) # With a region that does not answer, gcloud prints a part, and a warning.
    gcloud functions list --v2 --regions="$REGION" --format="value[separator=\" \"]($name,labels.relationindex,labels.relationindex-source,labels.relationindex-flags,state)" 2>"$here/warned" || { cat "$here/warned" >&2; return 1; }
    if grep -i unreachable "$here/warned" >&2; then return 1; fi ;;
  job) gcloud scheduler jobs list --location="$REGION" --format="value[separator=\" \"]($name,description)" ;;
  open) gcloud run services list --region="$REGION" --format='value[separator=" "](metadata.name,metadata.annotations."run.googleapis.com/invoker-iam-disabled")' | tr '[:upper:]' '[:lower:]' ;;
  metric) gcloud logging metrics list --format='value[separator=" "](name,description)' ;;
  policy) policies list --filter="userLabels.$mark" --format='value[separator=" "](userLabels.relationindex-file,userLabels.relationindex,userLabels.relationindex-digest,name)' ;;
  dashboard) dashboards list --filter="labels.$mark" --format='value[separator=" "](labels.relationindex-file,labels.relationindex,labels.relationindex-digest,name)' ;;
  esac
}

# state KIND NAME prints "=" and the state of what has a name, and nothing if nothing has it. It lists each kind once in a pass.
state() {
  local file="$here/$PASS-$1"
  if [ ! -e "$file" ]; then list "$1" >"$file.new" && mv "$file.new" "$file" || return; fi
  awk -v name="$2" '$0 == name || index($0, name " ") == 1 { print "=" substr($0, length(name) + 2); exit }' "$file"
}

# ours KIND NAME OURS tells whether something is there, and its state begins with OURS.
ours() {
  local has
  has=$(state "$1" "$2") || exit
  case $has in "=$3"*) return 0 ;; *) return 1 ;; esac
}

# step TITLE counts a step in the first pass, and fails; in the second, it says what comes.
step() {
  if [ "$PASS" = look ]; then
    ALL=$((ALL + 1))
    return 1
  fi
  AT=$((AT + 1))
  printf '%d/%d %s: ' "$AT" "$ALL" "$1"
}

# split WORD… [:: WORD…] sets the arrays first and second to the words before and after "::". Without "::", both have all words.
split() {
  first=() second=()
  while [ $# -gt 0 ] && [ "$1" != :: ]; do
    first+=("$1")
    shift
  done
  if [ $# -gt 0 ]; then
    shift
    second=("$@")
  else second=("${first[@]}"); fi
}

# ensure KIND NAME OURS WANT CREATE… [:: UPDATE…] makes what is missing, and updates what is ours and not as WANT says. The state
# of what is ours begins with OURS.
ensure() {
  local kind=$1 name=$2 ours=$3 want=$4 has
  shift 4
  split "$@"
  has=$(state "$kind" "$name")
  case $has in '' | "=$ours"*) ;; *)
    TAKEN="$TAKEN  $kind $name"$'\n'
    [ "$PASS" = look ] || taken
    ;;
  esac
  step "$kind $name" || return 0
  case $has in
  "=$want") echo unchanged ;;
  '') wait "${first[@]}" && echo created ;;
  *) wait "${second[@]}" && echo updated ;;
  esac
}

# gone KIND OURS NAME… :: DELETE… deletes those of the names that are ours, and everything that is ours for the name "*". {} stands
# for what is deleted: for the last word of its state, or its name. A function with the label of the mark alone is an app's.
gone() {
  local kind=$1 ours=$2 line id
  shift 2
  split "$@"
  state "$kind" '' >/dev/null
  [ "$PASS" = make ] || return 0
  while IFS= read -r line <&3; do
    case ${line#* } in "$ours "*) continue ;; "$ours"*) ;; *) continue ;; esac
    case " ${first[*]} " in " * " | *" ${line%% *} "*) ;; *) continue ;; esac
    id=${line%% *}
    case $kind in policy | dashboard) id=${line##* } ;; esac
    printf '%s %s: ' "$kind" "${line%% *}"
    wait "${second[@]//\{\}/$id}" && echo removed
    REMOVED=$((REMOVED + 1))
  done 3<"$here/$PASS-$kind"
}

# bind add|remove ROLE MEMBER CONDITION GROUP… :: RESOURCE… gives a role on a resource to a member, or takes it, under whatever
# condition. CONDITION is "", None, or expression=…,title=…; to take a role, "".
bind() {
  local verb=$1 role=$2 member=$3 condition=$4 title='' has=no
  shift 4
  split "$@"
  step "$verb $role for $member on ${second[0]}" || return 0
  case $condition in *,title=*) title=${condition##*,title=} ;; esac
  wait gcloud "${first[@]}" get-iam-policy "${second[@]}" --flatten='bindings[].members' --format='value[separator=" "](bindings.role,bindings.members,bindings.condition.title)'
  if [ "$verb" = remove ]; then
    condition=--all
    if grep -qF -- "$role $member " "$here/out"; then has=yes; fi
  elif grep -qxF -- "$role $member $title" "$here/out"; then has=yes; fi
  case $verb-$has in add-yes | remove-no)
    echo unchanged
    return 0
    ;;
  esac
  case $condition in '') ;; --all) second+=(--all) ;; *) second+=("--condition=$condition") ;; esac
  wait gcloud "${first[@]}" "$verb-iam-policy-binding" "${second[@]}" --member="$member" --role="$role" --format=none && echo 'done'
}

# watch KIND NAME DIGEST FILE makes an alert policy or a dashboard of a file, or updates it. An update of a dashboard needs its
# etag: it is deleted and made again.
watch() {
  local has flag=--config-from-file commands=dashboards
  has=$(state "$1" "$2")
  step "$1 $2" || return 0
  if [ "$1" = policy ]; then flag=--policy-from-file commands=policies; fi
  case $has in
  "=$MARK $3 "*) echo unchanged ;;
  '') wait "$commands" create "$flag=$4" && echo created ;;
  *)
    if [ "$1" = policy ]; then wait policies update "${has##* }" "$flag=$4"
    else wait dashboards delete "${has##* }" && wait dashboards create "$flag=$4"; fi
    echo updated
    ;;
  esac
}

# wait COMMAND… runs a command, and again each half minute for ten minutes while Google answers that something new is not known
# everywhere yet, or that too much is asked at once. What the command prints is in $here/out.
LATER='does not exist[.]|in the resource.s hierarchy|ermission denied while using the Eventarc Service Agent|eventarc.events.receiveEvent|Permission denied on secret'
LATER+='|missing permission on the build service account|permission to act as service account|Access to bucket gcf-v2-sources|repositories.downloadArtifacts|Unable to retrieve the repository metadata'
LATER+='|has not been used in project|If a metric was created recently|unable to queue the operation|status=\[(429|503)\]|concurrent policy changes|contention|underlying data changed|HTTP Error: (429|503)'
wait() {
  local left=20
  until "$@" >"$here/out" 2>"$here/err"; do
    left=$((left - 1))
    if [ "$left" -lt 0 ] || ! grep -qE "$LATER" "$here/out" "$here/err"; then
      printf 'failed\n%s\n' "$*" >&2
      cat "$here/out" "$here/err" | tail -c 4000 >&2
      printf '\nStopped. What was made before runs. Run this again: it goes on here.\n' >&2
      exit 1
    fi
    printf 'not yet, '
    sleep "${DEPLOY_PAUSE:-30}"
  done
}

# taken ends the script for what is somebody else's.
taken() {
  printf 'These exist, and this deployment (%s) did not make them. Remove them, or deploy with another --name:\n%s' "$MARK" "$TAKEN" >&2
  exit 1
}

# both runs main in both passes.
both() {
  main
  if [ -n "$TAKEN" ]; then
    echo 'Nothing was changed.' >&2
    taken
  fi
  PASS='make'
  main
}

main() {
  # Accounts and roles. New ones take minutes to be known everywhere: indexes come between them and their first use.
  if [ "$PASS" = make ]; then number=$(gcloud projects describe p --format='value(projectNumber)'); fi
  ensure agent cloudfunctions.googleapis.com '' '' gcloud beta services identity create --service=cloudfunctions.googleapis.com
  ensure agent pubsub.googleapis.com '' '' gcloud beta services identity create --service=pubsub.googleapis.com
  ensure account relationindex-functions@p.iam.gserviceaccount.com 'deployed by relationindex as relationindex: ' 'deployed by relationindex as relationindex: what the functions run as' gcloud iam service-accounts create relationindex-functions --display-name=relationindex-functions --description='deployed by relationindex as relationindex: what the functions run as' :: gcloud iam service-accounts update relationindex-functions@p.iam.gserviceaccount.com --description='deployed by relationindex as relationindex: what the functions run as'
  ensure account relationindex-triggers@p.iam.gserviceaccount.com 'deployed by relationindex as relationindex: ' 'deployed by relationindex as relationindex: what brings events to the functions, and calls Sweep' gcloud iam service-accounts create relationindex-triggers --display-name=relationindex-triggers --description='deployed by relationindex as relationindex: what brings events to the functions, and calls Sweep' :: gcloud iam service-accounts update relationindex-triggers@p.iam.gserviceaccount.com --description='deployed by relationindex as relationindex: what brings events to the functions, and calls Sweep'
  ensure account relationindex-build@p.iam.gserviceaccount.com 'deployed by relationindex as relationindex: ' 'deployed by relationindex as relationindex: what builds the functions' gcloud iam service-accounts create relationindex-build --display-name=relationindex-build --description='deployed by relationindex as relationindex: what builds the functions' :: gcloud iam service-accounts update relationindex-build@p.iam.gserviceaccount.com --description='deployed by relationindex as relationindex: what builds the functions'
  ensure secret relationindex-tombstone-key-default '' '' gcloud secrets create relationindex-tombstone-key-default --replication-policy=user-managed --locations=europe-west1
  if [ "$PASS" = make ]; then   ensure version 1 '' '' gcloud secrets versions add relationindex-tombstone-key-default --data-file="$WORK"/tombstone-key
  else ALL=$((ALL + 1)); fi
  bind add roles/datastore.user serviceAccount:relationindex-functions@p.iam.gserviceaccount.com 'expression=resource.name=="projects/p/databases/(default)",title=relationindex' projects :: p
  bind add roles/eventarc.eventReceiver serviceAccount:relationindex-triggers@p.iam.gserviceaccount.com None projects :: p
  bind add roles/cloudbuild.builds.builder serviceAccount:relationindex-build@p.iam.gserviceaccount.com None projects :: p
  bind add roles/secretmanager.secretAccessor serviceAccount:relationindex-functions@p.iam.gserviceaccount.com None secrets :: relationindex-tombstone-key-default

  # The agent of Pub/Sub signs the pushes of triggers: projects that had it before April 8, 2021 need this role.
  bind add roles/iam.serviceAccountTokenCreator "serviceAccount:service-$number@gcp-sa-pubsub.iam.gserviceaccount.com" None projects :: p

  # Indexes and time-to-live policies. Firestore builds indexes in the background. firebase-tools deletes none.
  if [ "$INDEXES" = write ] && step 'indexes, and time-to-live policies'; then
    wait firebase deploy --only=firestore:indexes --config="$WORK"/firebase.json && echo 'done'
  fi

  # Functions. Without its invoker, a function rejects its events, which Eventarc delivers again for 24 hours.
  ensure function relationindex-on-follower-written 'relationindex ' 'relationindex '"$SOURCE"' 52a9591d14ed92a6c5085b6c1a7a2008 ACTIVE' gcloud functions deploy relationindex-on-follower-written --gen2 --region=europe-west1 --runtime=go126 --source=. --entry-point=OnFollowerWritten --trigger-event-filters=type=google.cloud.firestore.document.v1.written --trigger-event-filters='database=(default)' --trigger-event-filters-path-pattern='document=users/{userId}/followers/{followerId}' --trigger-location=eur3 --trigger-service-account=relationindex-triggers@p.iam.gserviceaccount.com --retry --set-secrets=RELATIONINDEX_TOMBSTONE_KEY=relationindex-tombstone-key-default:1 --timeout=60s --memory=512Mi --cpu=1 --concurrency=400 --min-instances=0 --max-instances=10 --service-account=relationindex-functions@p.iam.gserviceaccount.com --build-service-account=projects/p/serviceAccounts/relationindex-build@p.iam.gserviceaccount.com --set-env-vars=GOOGLE_CLOUD_PROJECT=p,RELATIONINDEX_DEPLOYED="$DEPLOYED",GOMEMLIMIT=460MiB --update-labels=relationindex=relationindex,relationindex-source="$SOURCE",relationindex-flags=52a9591d14ed92a6c5085b6c1a7a2008
  bind add roles/run.invoker serviceAccount:relationindex-triggers@p.iam.gserviceaccount.com '' run services :: relationindex-on-follower-written --region=europe-west1
  ensure function relationindex-on-post-written 'relationindex ' 'relationindex '"$SOURCE"' 90a5369ec5709202f5d60d4879ce7d48 ACTIVE' gcloud functions deploy relationindex-on-post-written --gen2 --region=europe-west1 --runtime=go126 --source=. --entry-point=OnPostWritten --trigger-event-filters=type=google.cloud.firestore.document.v1.written --trigger-event-filters='database=(default)' --trigger-event-filters-path-pattern='document=posts/{postId}' --trigger-location=eur3 --trigger-service-account=relationindex-triggers@p.iam.gserviceaccount.com --retry --set-secrets=RELATIONINDEX_TOMBSTONE_KEY=relationindex-tombstone-key-default:1 --timeout=60s --memory=512Mi --cpu=1 --concurrency=80 --min-instances=0 --max-instances=10 --service-account=relationindex-functions@p.iam.gserviceaccount.com --build-service-account=projects/p/serviceAccounts/relationindex-build@p.iam.gserviceaccount.com --set-env-vars=GOOGLE_CLOUD_PROJECT=p,RELATIONINDEX_DEPLOYED="$DEPLOYED",GOMEMLIMIT=460MiB --update-labels=relationindex=relationindex,relationindex-source="$SOURCE",relationindex-flags=90a5369ec5709202f5d60d4879ce7d48
  bind add roles/run.invoker serviceAccount:relationindex-triggers@p.iam.gserviceaccount.com '' run services :: relationindex-on-post-written --region=europe-west1
  ensure function relationindex-on-job-written 'relationindex ' 'relationindex '"$SOURCE"' 80180480b130a5691e5a935b77ec194f ACTIVE' gcloud functions deploy relationindex-on-job-written --gen2 --region=europe-west1 --runtime=go126 --source=. --entry-point=OnJobWritten --trigger-event-filters=type=google.cloud.firestore.document.v1.written --trigger-event-filters='database=(default)' --trigger-event-filters-path-pattern='document=_functions/{jobId}' --trigger-location=eur3 --trigger-service-account=relationindex-triggers@p.iam.gserviceaccount.com --retry --set-secrets=RELATIONINDEX_TOMBSTONE_KEY=relationindex-tombstone-key-default:1 --timeout=540s --memory=512Mi --cpu=1 --concurrency=8 --min-instances=0 --max-instances=20 --service-account=relationindex-functions@p.iam.gserviceaccount.com --build-service-account=projects/p/serviceAccounts/relationindex-build@p.iam.gserviceaccount.com --set-env-vars=GOOGLE_CLOUD_PROJECT=p,RELATIONINDEX_DEPLOYED="$DEPLOYED",GOMEMLIMIT=460MiB --update-labels=relationindex=relationindex,relationindex-source="$SOURCE",relationindex-flags=80180480b130a5691e5a935b77ec194f
  bind add roles/run.invoker serviceAccount:relationindex-triggers@p.iam.gserviceaccount.com '' run services :: relationindex-on-job-written --region=europe-west1
  ensure function relationindex-on-user-deleted 'relationindex ' 'relationindex '"$SOURCE"' 30217b94d663129ce28ecc558348ec12 ACTIVE' gcloud functions deploy relationindex-on-user-deleted --gen2 --region=europe-west1 --runtime=go126 --source=. --entry-point=OnUserDeleted --trigger-event-filters=type=google.cloud.firestore.document.v1.deleted --trigger-event-filters='database=(default)' --trigger-event-filters-path-pattern='document=users/{userId}' --trigger-location=eur3 --trigger-service-account=relationindex-triggers@p.iam.gserviceaccount.com --retry --set-secrets=RELATIONINDEX_TOMBSTONE_KEY=relationindex-tombstone-key-default:1 --timeout=60s --memory=256Mi --cpu=1 --concurrency=80 --min-instances=0 --max-instances=3 --service-account=relationindex-functions@p.iam.gserviceaccount.com --build-service-account=projects/p/serviceAccounts/relationindex-build@p.iam.gserviceaccount.com --set-env-vars=GOOGLE_CLOUD_PROJECT=p,RELATIONINDEX_DEPLOYED="$DEPLOYED",GOMEMLIMIT=230MiB --update-labels=relationindex=relationindex,relationindex-source="$SOURCE",relationindex-flags=30217b94d663129ce28ecc558348ec12
  bind add roles/run.invoker serviceAccount:relationindex-triggers@p.iam.gserviceaccount.com '' run services :: relationindex-on-user-deleted --region=europe-west1
  ensure function relationindex-on-block-written 'relationindex ' 'relationindex '"$SOURCE"' bdb191cbe3b3d44e8962fe4f41fe63bb ACTIVE' gcloud functions deploy relationindex-on-block-written --gen2 --region=europe-west1 --runtime=go126 --source=. --entry-point=OnBlockWritten --trigger-event-filters=type=google.cloud.firestore.document.v1.written --trigger-event-filters='database=(default)' --trigger-event-filters-path-pattern='document=users/{userId}/blocked/{followerId}' --trigger-location=eur3 --trigger-service-account=relationindex-triggers@p.iam.gserviceaccount.com --retry --set-secrets=RELATIONINDEX_TOMBSTONE_KEY=relationindex-tombstone-key-default:1 --timeout=60s --memory=256Mi --cpu=1 --concurrency=80 --min-instances=0 --max-instances=3 --service-account=relationindex-functions@p.iam.gserviceaccount.com --build-service-account=projects/p/serviceAccounts/relationindex-build@p.iam.gserviceaccount.com --set-env-vars=GOOGLE_CLOUD_PROJECT=p,RELATIONINDEX_DEPLOYED="$DEPLOYED",GOMEMLIMIT=230MiB --update-labels=relationindex=relationindex,relationindex-source="$SOURCE",relationindex-flags=bdb191cbe3b3d44e8962fe4f41fe63bb
  bind add roles/run.invoker serviceAccount:relationindex-triggers@p.iam.gserviceaccount.com '' run services :: relationindex-on-block-written --region=europe-west1
  ensure function relationindex-sweep 'relationindex ' 'relationindex '"$SOURCE"' 93f0d51c7a315eed30ccd35f610bdfc5 ACTIVE' gcloud functions deploy relationindex-sweep --gen2 --region=europe-west1 --runtime=go126 --source=. --entry-point=Sweep --trigger-http --no-allow-unauthenticated --timeout=60s --memory=256Mi --cpu=0.167 --concurrency=1 --min-instances=0 --max-instances=2 --service-account=relationindex-functions@p.iam.gserviceaccount.com --build-service-account=projects/p/serviceAccounts/relationindex-build@p.iam.gserviceaccount.com --set-env-vars=GOOGLE_CLOUD_PROJECT=p,RELATIONINDEX_DEPLOYED="$DEPLOYED",GOMEMLIMIT=230MiB --update-labels=relationindex=relationindex,relationindex-source="$SOURCE",relationindex-flags=93f0d51c7a315eed30ccd35f610bdfc5
  bind add roles/run.invoker serviceAccount:relationindex-triggers@p.iam.gserviceaccount.com '' run services :: relationindex-sweep --region=europe-west1
  gone function 'relationindex ' relationindex-on-user-written relationindex-on-settings-written relationindex-on-hidden-written relationindex-on-request-written relationindex-on-like-written relationindex-on-comment-written relationindex-feed relationindex-on-block-created relationindex-on-comment-created :: gcloud functions delete '{}' --gen2 --region=europe-west1

  # Sweep's schedule. Without it, a job whose event was lost waits for ever.
  sweep() {
    local uri
    uri=$(gcloud functions describe relationindex-sweep --gen2 --region=europe-west1 --format='value(serviceConfig.uri)') || return
    gcloud scheduler jobs "$1" http relationindex-sweep --description='deployed by relationindex as relationindex: wakes jobs whose event was lost or whose step died; 63f44df17ec57352eab5966cf060abf1' --location=europe-west1 --schedule='* * * * *' --time-zone=Etc/UTC --http-method=post --oidc-service-account-email=relationindex-triggers@p.iam.gserviceaccount.com --attempt-deadline=60s --max-retry-attempts=3 --min-backoff=5s --max-backoff=20s "--uri=$uri" "--oidc-token-audience=$uri"
  }
  ensure job relationindex-sweep 'deployed by relationindex as relationindex: ' 'deployed by relationindex as relationindex: wakes jobs whose event was lost or whose step died; 63f44df17ec57352eab5966cf060abf1' sweep create :: sweep update

  # Rules: from here on, clients write.
  if [ "$RULES" = write ] && step 'rules standard, if the database has none'; then
    wait firebase deploy --only=firestore:rules --config="$WORK"/firebase.json && echo 'done'
  fi

  # Metrics, alerts and the dashboard.
  ensure metric relationindex/acts-waiting 'deployed by relationindex as relationindex: ' 'deployed by relationindex as relationindex: Posts, follows and the like that wait, because their account does more than RELATIONINDEX_ACCOUNT_HOUR allows. (d6d14134314ed4ab71d7afeae2b4f337)' gcloud logging metrics create relationindex/acts-waiting --config-from-file="$WORK"/monitoring/metrics/acts-waiting.json :: gcloud logging metrics update relationindex/acts-waiting --config-from-file="$WORK"/monitoring/metrics/acts-waiting.json
  ensure metric relationindex/brake-on 'deployed by relationindex as relationindex: ' 'deployed by relationindex as relationindex: Calls of Sweep that found the brake on. (5b12b5d58ce71d7e300e9708b3c5b7bb)' gcloud logging metrics create relationindex/brake-on --config-from-file="$WORK"/monitoring/metrics/brake-on.json :: gcloud logging metrics update relationindex/brake-on --config-from-file="$WORK"/monitoring/metrics/brake-on.json
  ensure metric relationindex/failed-jobs 'deployed by relationindex as relationindex: ' 'deployed by relationindex as relationindex: Jobs that have failed for good, or ten times in a row, and want a person, by kind. (aabceeb9d2d1eed345d855e007d146b5)' gcloud logging metrics create relationindex/failed-jobs --config-from-file="$WORK"/monitoring/metrics/failed-jobs.json :: gcloud logging metrics update relationindex/failed-jobs --config-from-file="$WORK"/monitoring/metrics/failed-jobs.json
  ensure metric relationindex/lag 'deployed by relationindex as relationindex: ' 'deployed by relationindex as relationindex: Milliseconds from the time of an event until it was handled. (363883682e51c8c207cfe40fa06a174f)' gcloud logging metrics create relationindex/lag --config-from-file="$WORK"/monitoring/metrics/lag.json :: gcloud logging metrics update relationindex/lag --config-from-file="$WORK"/monitoring/metrics/lag.json
  ensure metric relationindex/overrun-steps 'deployed by relationindex as relationindex: ' 'deployed by relationindex as relationindex: Steps of jobs that ran into the reserve of their time, or out of it. (59c0ffc1b9bbe295f6f5e9645a1a6381)' gcloud logging metrics create relationindex/overrun-steps --config-from-file="$WORK"/monitoring/metrics/overrun-steps.json :: gcloud logging metrics update relationindex/overrun-steps --config-from-file="$WORK"/monitoring/metrics/overrun-steps.json
  ensure metric relationindex/reads 'deployed by relationindex as relationindex: ' 'deployed by relationindex as relationindex: Documents that a run read, as billed. (5ba84aeb8e9cb563ecaf19dfe220f38b)' gcloud logging metrics create relationindex/reads --config-from-file="$WORK"/monitoring/metrics/reads.json :: gcloud logging metrics update relationindex/reads --config-from-file="$WORK"/monitoring/metrics/reads.json
  ensure metric relationindex/runs 'deployed by relationindex as relationindex: ' 'deployed by relationindex as relationindex: Runs of functions, by function and outcome. (7042cd3542ec178173a2f7de90802494)' gcloud logging metrics create relationindex/runs --config-from-file="$WORK"/monitoring/metrics/runs.json :: gcloud logging metrics update relationindex/runs --config-from-file="$WORK"/monitoring/metrics/runs.json
  ensure metric relationindex/sample-violations 'deployed by relationindex as relationindex: ' 'deployed by relationindex as relationindex: Documents that the sampling verify has found wrong twice, a minute apart. (0617d52f15498e66ab525fe811588ecb)' gcloud logging metrics create relationindex/sample-violations --config-from-file="$WORK"/monitoring/metrics/sample-violations.json :: gcloud logging metrics update relationindex/sample-violations --config-from-file="$WORK"/monitoring/metrics/sample-violations.json
  ensure metric relationindex/writes 'deployed by relationindex as relationindex: ' 'deployed by relationindex as relationindex: Documents that a run wrote, as billed. (5e2067cffdb8fd9dbc135d953ff64cc8)' gcloud logging metrics create relationindex/writes --config-from-file="$WORK"/monitoring/metrics/writes.json :: gcloud logging metrics update relationindex/writes --config-from-file="$WORK"/monitoring/metrics/writes.json
  watch policy acts-waiting 9933a4bb7ca6a6de1f956cb3e1bede00 "$WORK"/monitoring/alerts/acts-waiting.json
  watch policy brake-on e8bc891b2876830b1d940db1649ccf75 "$WORK"/monitoring/alerts/brake-on.json
  watch policy events-dropped e2991bb78a53175e36b27c2e27aa7f32 "$WORK"/monitoring/alerts/events-dropped.json
  watch policy events-waiting dbf651f5435130106b3f9455739d12f8 "$WORK"/monitoring/alerts/events-waiting.json
  watch policy feed-errors 0a2d1c309233343a200f47ecaa387086 "$WORK"/monitoring/alerts/feed-errors.json
  watch policy instances-exhausted bb773daee35b838c708452beb8c12406 "$WORK"/monitoring/alerts/instances-exhausted.json
  watch policy jobs-failed 979a909891119d9cdbd086163cbeff86 "$WORK"/monitoring/alerts/jobs-failed.json
  watch policy lag-high ee6883d5411bba5db640f87199cacfff "$WORK"/monitoring/alerts/lag-high.json
  watch policy reads-budget 09f1a084184ff093c64f0415f29d495a "$WORK"/monitoring/alerts/reads-budget.json
  watch policy reads-operation c8defd1bc1122f680c67820bb5d782d9 "$WORK"/monitoring/alerts/reads-operation.json
  watch policy runs-failing 255e5775a4941fe2f9e85bca26dcd0de "$WORK"/monitoring/alerts/runs-failing.json
  watch policy sample-violations f0b2b94504e3155b744047fb6e8cc5d6 "$WORK"/monitoring/alerts/sample-violations.json
  watch policy steps-overrun b82f236e3ed0a50820302df4ae763c5e "$WORK"/monitoring/alerts/steps-overrun.json
  watch policy sweep-missing 534cf73cbd1801cbdcb82fc7c481dc20 "$WORK"/monitoring/alerts/sweep-missing.json
  watch policy writes-budget 05d929616276010e2b7920c26f25a16a "$WORK"/monitoring/alerts/writes-budget.json
  watch policy writes-operation e1016a8777b1d4b261f2ebb3c8bb7c85 "$WORK"/monitoring/alerts/writes-operation.json
  watch dashboard dashboard fb198f2c7d75a8d35ae44b0b37fdf57c "$WORK"/monitoring/dashboard.json

  # Feed's account, which an earlier deployment had.
  if ours account relationindex-feed@p.iam.gserviceaccount.com 'deployed by relationindex as relationindex: '; then
  bind remove roles/datastore.viewer serviceAccount:relationindex-feed@p.iam.gserviceaccount.com '' projects :: p
  bind remove projects/p/roles/relationindexFeed serviceAccount:relationindex-feed@p.iam.gserviceaccount.com '' projects :: p
  fi
  gone account 'deployed by relationindex as relationindex: ' relationindex-feed@p.iam.gserviceaccount.com :: gcloud iam service-accounts delete '{}'
}

both
