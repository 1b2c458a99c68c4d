"""Nouns, names and adjectives of the synthetic grammar, one entry per line.

Within a kind the most frequent entry comes first: frequency falls with rank as in Zipf's law.
English translations are separated by ``,`` and weighted by ``*n``.
"""

# kind, English, Arabic singular, gender, Arabic plural.
#   ``!``  after a word: diptote, that is no final alif in the indefinite accusative
#   ``-``  as plural: mass noun (no "a"); as singular: used in the plural only
#   ``.``  as plural: countable, but not used in the plural here
#   M / F  as gender: generic, no English "the" even when definite (درس الطب = he studied medicine)
NOUNS = """
person    man                   رجل       m  رجال
person    woman                 امرأة     f  نساء
person    student               طالب      m  طلاب
person    boy                   ولد       m  أولاد
person    girl                  فتاة      f  فتيات
person    teacher               معلم      m  معلمون
person    doctor*3,physician    طبيب      m  أطباء!
person    child                 طفل       m  أطفال
person    writer*2,author       كاتب      m  كتاب
person    journalist*2,reporter صحفي      m  صحفيون
person    student               طالبة     f  طالبات
person    soldier               جندي      m  جنود
person    player                لاعب      m  لاعبون
person    teacher               معلمة     f  معلمات
person    farmer*3,peasant      فلاح      m  فلاحون
person    merchant,trader       تاجر      m  تجار
person    poet                  شاعر      m  شعراء!
person    scientist*2,scholar   عالم      m  علماء!
person    driver                سائق      m  سائقون
person    citizen               مواطن     m  مواطنون
person    doctor*3,physician    طبيبة     f  طبيبات
person    nurse                 ممرضة     f  ممرضات
person    referee               حكم       m  حكام
person    translator            مترجم     m  مترجمون
person    artist                فنان      m  فنانون
person    painter               رسام      m  رسامون
person    policeman             شرطي      m  شرطيون
person    journalist*2,reporter صحفية     f  صحفيات
person    writer*2,author       كاتبة     f  كاتبات
person    singer                مغنية     f  مغنيات
chief     president             رئيس      m  رؤساء!
chief     minister              وزير      m  وزراء!
chief     king                  ملك       m  ملوك
chief     leader                زعيم      m  زعماء!
chief     ambassador            سفير      m  سفراء!
chief     queen                 ملكة      f  ملكات
chief     prince                أمير      m  أمراء!
chief     princess              أميرة     f  أميرات
staff     director,manager      مدير      m  مديرون
staff     worker                عامل      m  عمال
staff     engineer              مهندس     m  مهندسون
staff     expert                خبير      m  خبراء!
staff     employee*2,official   موظف      m  موظفون
staff     researcher            باحث      m  باحثون
staff     coach,trainer         مدرب      m  مدربون
kin       friend                صديق      m  أصدقاء!
kin       mother                والدة     f  .
kin       daughter*3,girl       بنت       f  بنات
kin       father                والد      m  .
kin       neighbor              جار       m  جيران
kin       brother               شقيق      m  أشقاء!
kin       sister                شقيقة     f  شقيقات
kin       guest                 ضيف       m  ضيوف
org       government            حكومة     f  حكومات
org       company*3,firm        شركة      f  شركات
org       army                  جيش       m  جيوش
org       party                 حزب       m  أحزاب
org       parliament            برلمان    m  برلمانات
org       ministry              وزارة     f  وزارات
org       court                 محكمة     f  محاكم!
org       bank                  بنك       m  بنوك
org       organization          منظمة     f  منظمات
org       committee             لجنة      f  لجان
org       council               مجلس      m  مجالس!
org       team                  فريق      m  فرق
org       union                 اتحاد     m  اتحادات
org       institution           مؤسسة     f  مؤسسات
org       embassy               سفارة     f  سفارات
org       association           جمعية     f  جمعيات
text      book                  كتاب      m  كتب
text      letter*3,message*2    رسالة     f  رسائل!
text      report                تقرير     m  تقارير!
text      article               مقال      m  مقالات
text      newspaper             جريدة     f  جرائد!
text      novel                 رواية     f  روايات
text      document              وثيقة     f  وثائق!
text      chapter               فصل       m  فصول
text      newspaper             صحيفة     f  صحف
text      magazine*2,journal    مجلة      f  مجلات
text      text                  نص        m  نصوص
text      page                  صفحة      f  صفحات
text      verse,line            بيت       m  أبيات
text      dictionary            قاموس     m  قواميس!
text      memo,note             مذكرة     f  مذكرات
story     story*3,tale          قصة       f  قصص
story     poem                  قصيدة     f  قصائد!
story     poetry                شعر       m  -
story     song                  أغنية     f  أغنيات
story     legend                أسطورة    f  أساطير!
speech    speech*3,address      خطاب      m  خطابات
speech    speech                كلمة      f  كلمات
speech    lecture               محاضرة    f  محاضرات
thing     picture*2,photo,image صورة      f  صور
thing     phone*3,telephone     هاتف      m  هواتف!
thing     key                   مفتاح     m  مفاتيح!
thing     pen                   قلم       m  أقلام
thing     bag*2,suitcase        حقيبة     f  حقائب!
thing     computer              حاسوب     m  حواسيب!
thing     watch*2,clock         ساعة      f  ساعات
thing     gift*2,present        هدية      f  هدايا
thing     box*3,chest           صندوق     m  صناديق!
thing     flag                  علم       m  أعلام
thing     device                جهاز      m  أجهزة
thing     painting              لوحة      f  لوحات
thing     weapon                سلاح      m  أسلحة
thing     lamp                  مصباح     m  مصابيح!
thing     ring                  خاتم      m  خواتم!
thing     machine               آلة       f  آلات
thing     ladder                سلم       m  سلالم!
thing     cup*2,glass           كأس       f  كؤوس
thing     flower                زهرة      f  أزهار
missile   ball                  كرة       f  كرات
missile   stone*2,rock          حجر       m  أحجار
missile   bomb                  قنبلة     f  قنابل!
wealth    money                 مال       m  -
wealth    gold                  ذهب       m  -
wealth    silver                فضة       f  -
surface   table                 طاولة     f  طاولات
surface   chair                 كرسي      m  كراسي!
surface   bed                   سرير      m  أسرة
surface   desk                  مكتب      m  مكاتب!
surface   shelf                 رف        m  رفوف
surface   seat*2,bench          مقعد      m  مقاعد!
vehicle   car                   سيارة     f  سيارات
vehicle   bus                   حافلة     f  حافلات
vehicle   truck                 شاحنة     f  شاحنات
vehicle   bicycle,bike          دراجة     f  دراجات
vehicle   train                 قطار      m  قطارات
part      door                  باب       m  أبواب
part      window                نافذة     f  نوافذ!
part      entrance              مدخل      m  مداخل!
part      gate                  بوابة     f  بوابات
home      house*3,home          بيت       m  بيوت
home      office                مكتب      m  مكاتب!
home      room                  غرفة      f  غرف
home      home,house*2          منزل      m  منازل!
home      shop*2,store*2        محل       m  محلات
home      farm                  مزرعة     f  مزارع!
home      apartment*2,flat      شقة       f  شقق
home      palace                قصر       m  قصور
home      kitchen               مطبخ      m  مطابخ!
home      tent                  خيمة      f  خيام
place     city*3,town           مدينة     f  مدن
place     school                مدرسة     f  مدارس!
place     market                سوق       f  أسواق
place     village               قرية      f  قرى
place     university            جامعة     f  جامعات
place     hospital              مستشفى    m  مستشفيات
place     airport               مطار      m  مطارات
place     park*2,garden         حديقة     f  حدائق!
place     restaurant            مطعم      m  مطاعم!
place     hotel                 فندق      m  فنادق!
place     library*2,bookshop    مكتبة     f  مكتبات
place     mosque                مسجد      m  مساجد!
place     museum                متحف      m  متاحف!
place     factory*2,plant       مصنع      m  مصانع!
place     station               محطة      f  محطات
place     square                ساحة      f  ساحات
place     port*2,harbor         ميناء     m  موانئ!
place     prison*2,jail         سجن       m  سجون
place     stadium               ملعب      m  ملاعب!
place     capital               عاصمة     f  عواصم!
place     church                كنيسة     f  كنائس!
crossing  river                 نهر       m  أنهار
crossing  street*2,road         شارع      m  شوارع!
crossing  bridge                جسر       m  جسور
crossing  desert                صحراء     f  .
crossing  sea                   بحر       m  بحار
nature    mountain              جبل       m  جبال
nature    region,area           منطقة     f  مناطق!
nature    island                جزيرة     f  جزر
nature    forest                غابة      f  غابات
nature    lake                  بحيرة     f  بحيرات
nature    spring                عين       f  عيون
nature    beach*2,shore         شاطئ      m  شواطئ!
nature    field                 حقل       m  حقول
meeting   meeting               اجتماع    m  اجتماعات
meeting   conference            مؤتمر     m  مؤتمرات
meeting   session               جلسة      f  جلسات
meeting   seminar               ندوة      f  ندوات
talks     talk                  -         f  محادثات
talks     negotiation           -         f  مفاوضات
event     election              -         f  انتخابات
event     party*2,ceremony      حفل       m  حفلات
event     festival              مهرجان    m  مهرجانات
event     show,exhibition       معرض      m  معارض!
event     wedding               عرس       m  أعراس
event     demonstration,protest مظاهرة    f  مظاهرات
match     match*2,game*2        مباراة    f  مباريات
conflict  war                   حرب       f  حروب
conflict  battle                معركة     f  معارك!
conflict  revolution*3,uprising ثورة      f  ثورات
plan      plan                  خطة       f  خطط
plan      project               مشروع     m  مشاريع!
plan      program               برنامج    m  برامج!
plan      policy                سياسة     f  سياسات
plan      proposal*3,suggestion اقتراح    m  اقتراحات
plan      idea                  فكرة      f  أفكار
plan      request*2,application طلب       m  طلبات
plan      offer                 عرض       m  عروض
plan      reform                إصلاح     m  إصلاحات
ruling    law                   قانون     m  قوانين!
ruling    statement             بيان      m  بيانات
ruling    ruling*2,verdict      حكم       m  أحكام
decision  decision              قرار      m  قرارات
step      measure*2,step        إجراء     m  إجراءات
deal      agreement*2,deal      اتفاق     m  اتفاقات
deal      contract              عقد       m  عقود
deal      treaty                معاهدة    f  معاهدات
problem   problem*3,issue       مشكلة     f  مشاكل!
problem   crisis                أزمة      f  أزمات
problem   question,issue        قضية      f  قضايا
inquiry   study                 دراسة     f  دراسات
inquiry   investigation*2,probe تحقيق     m  تحقيقات
inquiry   interview             مقابلة    f  مقابلات
inquiry   experiment            تجربة     f  تجارب!
ties      relation              -         f  علاقات
exam      exam*2,test           امتحان    m  امتحانات
exam      test                  اختبار    m  اختبارات
study     history               تاريخ     M  -
study     law                   قانون     M  -
study     medicine              طب        M  -
study     philosophy            فلسفة     F  -
study     music                 موسيقى    F  -
study     economics             اقتصاد    M  -
study     literature            أدب       M  -
study     chemistry             كيمياء    F  -
feeling   sadness*2,grief       حزن       M  -
feeling   fear                  خوف       M  -
feeling   joy,happiness         فرح       M  -
feeling   hunger                جوع       M  -
feeling   pain                  ألم       M  -
food      bread                 خبز       m  -
food      meat                  لحم       m  -
food      apple                 تفاحة     f  تفاحات
food      fish                  سمك       m  -
food      rice                  أرز       m  -
food      orange                برتقالة   f  برتقالات
food      cheese                جبن       m  -
food      egg                   بيضة      f  بيضات
drink     coffee                قهوة      f  -
drink     tea                   شاي       m  -
drink     water                 ماء       m  -
drink     milk                  حليب      m  -
drink     juice                 عصير      m  -
body      hand                  يد        f  .
body      head                  رأس       m  رؤوس
body      eye                   عين       f  عيون
body      face                  وجه       m  وجوه
body      foot                  قدم       f  أقدام
body      shoulder              كتف       f  أكتاف
body      heart                 قلب       m  قلوب
body      hair                  شعر       m  -
price     price                 سعر       m  أسعار
pay       tax                   ضريبة     f  ضرائب!
pay       salary*2,wage         راتب      m  رواتب!
pay       rent                  إيجار     m  إيجارات
prize     prize*2,award         جائزة     f  جوائز!
prize     medal                 ميدالية   f  ميداليات
prize     cup                   كأس       f  كؤوس
goal      goal                  هدف       m  أهداف
money     dollar                دولار     m  دولارات
money     pound                 جنيه      m  جنيهات
money     dinar                 دينار     m  دنانير!
distance  kilometer             كيلومتر   m  كيلومترات
distance  mile                  ميل       m  أميال
"""

# kind, English, Arabic, gender (``!`` as above: أحمد has no tanwin, محمد has).
NAMES = """
name     mohammed     محمد      m
name     ahmed        أحمد!     m
name     fatima       فاطمة     f
name     ali          علي       m
name     khalid       خالد      m
name     mariam       مريم!     f
name     omar         عمر!      m
name     leila        ليلى      f
name     yusuf        يوسف!     m
name     salma        سلمى      f
name     samir        سمير      m
name     zeinab       زينب!     f
name     ibrahim      إبراهيم!  m
name     huda         هدى       f
name     karim        كريم      m
name     nadia        نادية     f
name     said         سعيد      m
name     tariq        طارق      m
name     rania        رانيا     f
name     mahmoud      محمود     m
country  egypt        مصر!      f
country  syria        سوريا     f
country  iraq         العراق    m
country  lebanon      لبنان!    m
country  jordan       الأردن    m
country  france       فرنسا     f
country  morocco      المغرب    m
country  tunisia      تونس!     f
country  algeria      الجزائر   f
country  germany      ألمانيا   f
country  japan        اليابان   f
country  china        الصين     f
country  russia       روسيا     f
country  turkey       تركيا     f
country  spain        إسبانيا   f
country  kuwait       الكويت    f
town     cairo        القاهرة   f
town     baghdad      بغداد!    f
town     damascus     دمشق!     f
town     beirut       بيروت!    f
town     paris        باريس!    f
town     london       لندن!     f
town     rabat        الرباط    f
town     amman        عمان!     f
town     tunis        تونس!     f
town     algiers      الجزائر   f
town     alexandria   الإسكندرية f
town     moscow       موسكو!    f
town     tokyo        طوكيو!    f
"""

# English, masculine, human plural (. = regular ون), elative (- = none), kinds that it describes.
# ``people`` stands for every kind of person.
QUALITIES = """
new              جديد   m  جدد      -      chief staff org text story speech thing vehicle part
new              جديد   m  جدد      -      home place surface meeting event match plan ruling step
new              جديد   m  جدد      -      deal decision problem inquiry exam price pay prize talks
big*3,large*2    كبير   m  كبار     أكبر   place home nature crossing org vehicle thing event plan
old*3,ancient    قديم   m  .        أقدم   place home crossing story
old              قديم   m  .        أقدم   text thing vehicle surface part problem ruling ties
small*3,little   صغير   m  صغار     أصغر   place home nature org vehicle thing surface part missile
important        مهم    m  .        أهم    text story speech plan ruling decision deal problem
important        مهم    m  .        أهم    inquiry event chief staff org match exam meeting step
famous           مشهور  m  .        أشهر   people place text story org event
long             طويل   m  طوال     أطول   text story speech crossing meeting talks conflict match
tall             طويل   m  طوال     أطول   people
beautiful*3,nice جميل   m  .        أجمل   goal place home nature thing story vehicle body crossing
strong           قوي    m  أقوياء!  أقوى   people org ties
short            قصير   m  قصار     أقصر   people text story speech meeting inquiry
rich*2,wealthy   غني    m  أغنياء!  أغنى   people
poor             فقير   m  فقراء!   أفقر   people
brave            شجاع   m  شجعان    أشجع   people
clever*2,smart   ذكي    m  أذكياء!  أذكى   people
generous         كريم   m  كرماء!   أكرم   people
happy            سعيد   m  سعداء!   أسعد   people
angry            غاضب   m  .        -      people
sick,ill         مريض   m  مرضى     -      people
successful       ناجح   m  .        -      people meeting talks plan inquiry event
difficult*2,hard صعب    m  .        أصعب   problem decision text exam talks match
easy             سهل    m  .        أسهل   text exam match
dangerous*2,serious خطير m .        أخطر   problem conflict decision missile crossing
useful           مفيد   m  .        -      text plan inquiry thing deal
good             جيد    m  .        أفضل   plan deal text food drink vehicle
bad              سيئ    m  .        أسوأ   plan deal problem
modern*3,recent  حديث   m  .        أحدث   thing vehicle place home inquiry text
fast*2,quick     سريع   m  .        أسرع   vehicle
cheap            رخيص   m  .        أرخص   thing vehicle home food
heavy            ثقيل   m  .        أثقل   thing missile surface
light            خفيف   m  .        أخف    thing missile
clean            نظيف   m  .        أنظف   place home vehicle surface body
wide             واسع   m  .        أوسع   crossing part nature
quiet*2,calm     هادئ   m  .        أهدأ   place home nature people
distant          بعيد   m  .        أبعد   place nature
nearby           قريب   m  .        -      place home
closed           مغلق   m  .        -      part place
open             مفتوح  m  .        -      part place
empty            فارغ   m  .        -      home place surface vehicle
hot              ساخن   m  .        -      drink food
cold             بارد   m  .        -      drink food body
delicious        لذيذ   m  .        ألذ    food drink
fresh            طازج   m  .        -      food drink
high             مرتفع  m  .        -      price pay nature
low              منخفض  m  .        -      price pay
intense*2,severe شديد   m  .        أشد    feeling conflict
huge             ضخم    m  .        أضخم   event conflict place vehicle plan
red              أحمر!  m  .        -      vehicle thing part surface
white            أبيض!  m  .        -      vehicle thing home part surface
black            أسود!  m  .        -      vehicle thing surface
green            أخضر!  m  .        -      vehicle thing nature surface part
blue             أزرق!  m  .        -      vehicle thing part
"""

# Relational adjectives stand next to the noun and are not used as predicates here.
RELATIONS = """
egyptian         مصري   m  .        -      people org text place plan ruling speech event
american         أمريكي m  .        -      people org text plan vehicle ruling speech
arab             عربي   m  عرب      -      people org event meeting
arabic           عربي   m  عرب      -      text story
french           فرنسي  m  .        -      people org text story vehicle food
syrian           سوري   m  .        -      people org text place
iraqi            عراقي  m  .        -      people org text place
saudi            سعودي  m  .        -      people org
british          بريطاني m .        -      people org vehicle text
german           ألماني m  ألمان      -      people org vehicle
japanese         ياباني m  .        -      people org vehicle thing
political        سياسي  m  .        -      plan ruling decision problem meeting talks text speech
economic         اقتصادي m .        -      plan decision step problem deal meeting talks ties
military         عسكري  m  .        -      plan decision conflict vehicle inquiry deal
international    دولي   m  .        -      org meeting deal problem conflict ties event prize
local            محلي   m  .        -      org problem event match food price
national         وطني   m  .        -      org plan event prize story
public,general   عام    m  .        -      meeting plan problem speech
private          خاص    m  .        -      meeting home vehicle org talks
official         رسمي   m  .        -      text speech meeting ruling inquiry price
annual           سنوي   m  .        -      meeting event text prize
final            نهائي  m  .        -      decision ruling match exam deal text
cultural         ثقافي  m  .        -      event plan meeting ties prize
financial        مالي   m  .        -      problem plan deal decision
"""

# What stands second in a construct: كتاب الولد "the boy's book", باب البيت "the door of ...".
OWNERS = """
chief     country
staff     org*2 place
kin       human
org       country
text      human*3 org
story     human
speech    human
thing     human
vehicle   human*3 org
part      home*2 place*3
home      human
place     town*2 country
crossing  town*2 country
nature    country
meeting   org
talks     org
event     place town country
match     country
conflict  country
plan      org*2 human
ruling    org
decision  org*2 human
deal      org
problem   org country place
inquiry   org human
exam      place
body      human
price     food vehicle home
prize     country
goal      org
"""
