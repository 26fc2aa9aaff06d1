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
